import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AssetHashType, DockerImage, Names, Stage } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { writeFunctionBundle } from './function-bundle.ts'

const ROOT = join(import.meta.dirname, '../..')
const CONFIG_FILE = 'gateway.config.json'

export type FunctionSource = {
  /** `gateway` is built from `lambdas/gateway.lambda.ts`. */
  name: 'gateway' | 'probe' | 'widget' | 'canary'
  /** Validated; it becomes part of the bundle. */
  config: GatewayConfig
}

/** A function's bundle, built when its stack is deployed or synthesised, and not for `cdk bootstrap` or `cdk list`. */
export function functionCode(scope: Construct, { name, config }: FunctionSource): Code {
  const folder = writeConfig(scope, config)
  const mapFile = folder.replace(/\.config$/, '.map')
  // Where nothing is bundled, CDK takes this folder for the asset: it must never be one that holds keys.
  return Code.fromAsset(folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(outdir) {
          writeFunctionBundle(outdir, mapFile, {
            entry: join(ROOT, 'lambdas', `${name}.lambda.ts`),
            configFile: join(folder, CONFIG_FILE),
          })
          return true
        },
      },
    },
  })
}

/** The validated configuration as a file that the bundler inlines; an environment variable would be too small. */
function writeConfig(scope: Construct, config: GatewayConfig): string {
  const folder = resolve(Stage.of(scope)?.outdir ?? ROOT, `${Names.uniqueId(scope)}.config`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, CONFIG_FILE), JSON.stringify(config))
  return folder
}
