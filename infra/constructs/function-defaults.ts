import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Duration, Names, RemovalPolicy, Stage } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda'
import { type NodejsFunctionProps, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'

export type FunctionPlan = {
  /** `gateway` is built from `lambdas/gateway.lambda.ts`. */
  name: 'gateway' | 'probe' | 'widget'
  description: string
  memorySize: number
  timeout: Duration
  /** Validated; it becomes part of the bundle. */
  config: GatewayConfig
}

const ROOT = join(import.meta.dirname, '../..')
const LAMBDAS = join(ROOT, 'lambdas')
const DEFAULT_RETENTION_DAYS = 30

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

/** What all functions of the stack have in common: platform, bundle, a role that may log and nothing else. */
export function functionDefaults(scope: Construct, plan: FunctionPlan): NodejsFunctionProps {
  const { name, config, ...rest } = plan
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: config.deploy?.logRetentionDays ?? DEFAULT_RETENTION_DAYS,
    removalPolicy: RemovalPolicy.DESTROY,
  })
  return {
    ...rest,
    entry: join(LAMBDAS, `${name}.lambda.ts`),
    projectRoot: ROOT,
    depsLockFilePath: join(ROOT, 'package-lock.json'),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    logGroup,
    role: createRole(scope, logGroup),
    environment: { NODE_OPTIONS: '--enable-source-maps' },
    // The SDK keeps its connections without being told.
    awsSdkConnectionReuse: false,
    bundling: {
      format: OutputFormat.ESM,
      target: 'node24',
      minify: true,
      sourceMap: true,
      sourceMapMode: SourceMapMode.DEFAULT,
      sourcesContent: false,
      // The SDK of the runtime would be another version than the one under test.
      externalModules: NEVER_ASKED,
      // Written for bundlers, and a fifth smaller than what Node would load.
      mainFields: ['module', 'main'],
      banner: REQUIRE,
      esbuildArgs: { '--alias': `#gateway-config=${writeConfig(scope, config)}` },
    },
  }
}

/** The validated configuration as a file that the bundler inlines; an environment variable would be too small. */
function writeConfig(scope: Construct, config: GatewayConfig): string {
  const folder = Stage.of(scope)?.outdir ?? ROOT
  const file = resolve(folder, `${Names.uniqueId(scope)}.config.json`)
  writeFileSync(file, JSON.stringify(config))
  return file
}

function createRole(scope: Construct, logGroup: LogGroup): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  )
  return role
}
