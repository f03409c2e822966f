import { join } from 'node:path'
import { openLocalTable } from '../../infra/local/table/dynamo.ts'
import { createApp, synthesise } from '../infra/synthesise.ts'
import { startInstance, type LambdaInstance } from './lambda-instance.ts'
import { startSecretsServer } from './secrets-server.ts'

export const CLIENT_KEY = 'the-generated-client-key'

type FunctionName = 'Gateway' | 'Probe' | 'Widget' | 'Canary'

/** A stack on this machine: its bundles, its table and its secret. */
export type Cloud = AsyncDisposable & {
  /** Where its table is served. */
  readonly table: string
  /** Where a bundle is. */
  folder(name: FunctionName): string
  /** Starts an instance of one of its functions. */
  start(name: FunctionName, variables?: Record<string, string>): Promise<LambdaInstance>
  /** Starts an instance of the bundle in this folder, as if it were the stack's. */
  startFrom(folder: string, variables?: Record<string, string>): Promise<LambdaInstance>
}

type Resource = { Properties: { Code: { S3Key: string } } }

/** The bundles as `cdk deploy` would upload them. */
export function bundlesOf(configuration: unknown): Map<FunctionName, string> {
  const { app, template } = synthesise(configuration, 'test', createApp({ bundle: true }))
  const { directory } = app.synth()
  const functions = Object.entries(
    template.findResources('AWS::Lambda::Function') as Record<string, Resource>,
  )
  return new Map(
    (['Gateway', 'Probe', 'Widget', 'Canary'] as const).map(name => {
      const found = functions.find(([id]) => id.startsWith(`${name}Handler`))
      const key = found?.[1].Properties.Code.S3Key ?? ''
      return [name, join(directory, `asset.${key.replace(/\.zip$/, '')}`)]
    }),
  )
}

/** Synthesises a stack of this configuration, and gives it a table and a secret with these provider keys. */
export async function openCloud(
  configuration: unknown,
  providers: Record<string, string> = {},
): Promise<Cloud> {
  const bundles = bundlesOf(configuration)
  const table = await openLocalTable({})
  const secrets = await startSecretsServer({ defaultClientKey: CLIENT_KEY, clients: {}, providers })
  const folder = (name: FunctionName): string => bundles.get(name) ?? ''
  const startFrom: Cloud['startFrom'] = (from, variables = {}) =>
    startInstance(from, {
      BACKSTOP_TABLE: table.table,
      BACKSTOP_SECRET: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      ...variables,
    })
  return {
    table: table.endpoint,
    folder,
    startFrom,
    start: (name, variables) => startFrom(folder(name), variables),
    async [Symbol.asyncDispose]() {
      await secrets[Symbol.asyncDispose]()
      await table.close()
    },
  }
}
