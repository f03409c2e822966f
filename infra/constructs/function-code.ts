import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AssetHashType, DockerImage, Names, Stage } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { buildSync } from 'esbuild'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'

const ROOT = join(import.meta.dirname, '../..')
const CONFIG_FILE = 'gateway.config.json'

/** Where the SDK looks for credentials when the environment holds none, which in a Lambda it always does. */
const NEVER_ASKED = [
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

/** Libraries in CommonJS call `require`, which a module does not have. */
const REQUIRE =
  'import{createRequire as bundleRequire}from"node:module";const require=bundleRequire(import.meta.url);'

export type FunctionSource = {
  /** `gateway` is built from `lambdas/gateway.lambda.ts`. */
  name: 'gateway' | 'probe' | 'widget'
  /** Validated; it becomes part of the bundle. */
  config: GatewayConfig
}

/** A function's bundle, built when its stack is deployed or synthesised, and not for `cdk bootstrap` or `cdk list`. */
export function functionCode(scope: Construct, { name, config }: FunctionSource): Code {
  const folder = writeConfig(scope, config)
  // Where nothing is bundled, CDK takes this folder for the asset: it must never be one that holds keys.
  return Code.fromAsset(folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(outdir) {
          bundle(name, join(folder, CONFIG_FILE), outdir)
          return true
        },
      },
    },
  })
}

function bundle(name: FunctionSource['name'], config: string, outdir: string): void {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'lambdas', `${name}.lambda.ts`)],
    outfile: join(outdir, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    // The SDK of the runtime would be another version than the one under test.
    external: NEVER_ASKED,
    // Written for bundlers, and a fifth smaller than what Node would load.
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    alias: { '#gateway-config': config },
    logLevel: 'warning',
  })
}

/** The validated configuration as a file that the bundler inlines; an environment variable would be too small. */
function writeConfig(scope: Construct, config: GatewayConfig): string {
  const folder = resolve(Stage.of(scope)?.outdir ?? ROOT, `${Names.uniqueId(scope)}.config`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, CONFIG_FILE), JSON.stringify(config))
  return folder
}
