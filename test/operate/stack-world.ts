import { expect } from 'vitest'
import { openLocalTable } from '../../infra/local/table/dynamo.ts'
import { STACK_OUTPUTS } from '../../lambdas/contract.ts'
import { createDynamoClients } from '../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../lambdas/store/dynamo-store.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { STACK, startFakeAws, type FakeAws } from './fake-aws.ts'
import type { ChildProcess } from 'node:child_process'
import { runCommand, spawnCommand, type CommandInput, type Outcome } from './run-command.ts'
import { startScriptedGateway, type Seen } from './scripted-gateway.ts'

/** Everything that no output of a command may ever contain. */
export const SECRETS = [
  'the-generated-client-key',
  'key-of-billing',
  'gsk_old',
  'sk-one',
  'sk-two',
  'local-secret',
]

export const SECRET = {
  defaultClientKey: 'the-generated-client-key',
  clients: { billing: 'key-of-billing' },
  providers: { groq: 'gsk_old', openai: ['sk-one', 'sk-two'] },
  note: { kept: true },
}

export type StackWorld = AsyncDisposable & {
  aws: FakeAws
  store: FleetStore
  tableEndpoint: string
  /** What the gateway at the stack's URL was asked. */
  seen: readonly Seen[]
  /** Runs a command about the stack, and sees to it that no secret comes out. */
  run(command: string, args?: readonly string[], more?: RunMore): Promise<Outcome>
  /** Starts one that runs until it is told to stop. */
  start(command: string, args?: readonly string[]): ChildProcess
}

type RunMore = CommandInput & { env?: Record<string, string>; stack?: string }

const IDENTITY = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local-secret',
  AWS_REGION: 'us-east-1',
}

/** A deployed stack on loopback: a cloud, a table, and a gateway that answers with these rows. */
export async function openStackWorld({
  rows = [] as object[],
  models = [] as object[],
  auth = 'key',
} = {}): Promise<StackWorld> {
  const gateway = await startScriptedGateway((request, response) => {
    if (request.url === '/v1/endpoints') return void response.end(JSON.stringify({ models, data: rows }))
    const model = /^\/v1\/endpoints\?model=(.*)$/.exec(request.url ?? '')?.[1]
    if (model !== undefined) {
      const data = rows.map((row, index) => ({
        ...row,
        tier: 1,
        place: index + 1,
        rank: null,
        skipped: null,
      }))
      return void response.end(
        JSON.stringify({ model: decodeURIComponent(model), strategy: 'priority', data }),
      )
    }
    response.writeHead(200, { 'x-backstop-attempts': '1', 'x-request-id': 'request-1' })
    response.end('data: {"choices":[{"delta":{"content":"Hello."}}]}\n\ndata: [DONE]\n\n')
  })
  const table = await openLocalTable({})
  const aws = await startFakeAws(
    {
      [STACK_OUTPUTS.url]: `${gateway.url}/`,
      [STACK_OUTPUTS.secret]: 'the-secret',
      [STACK_OUTPUTS.table]: table.table,
      [STACK_OUTPUTS.probe]: 'the-probe',
      [STACK_OUTPUTS.logGroup]: 'the-log',
      [STACK_OUTPUTS.auth]: auth,
    },
    SECRET,
  )
  const clients = createDynamoClients({ ...table.access, region: 'us-east-1', credentials: identity })
  const store = createDynamoStore({ clients, table: table.table, now: Date.now })
  const places = {
    ...IDENTITY,
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  }
  return {
    aws,
    store,
    tableEndpoint: table.endpoint,
    seen: gateway.seen,
    start: (command, args = []) =>
      spawnCommand(`infra/operate/commands/${command}.ts`, [...args, '--stack', STACK], places),
    async run(command, args = [], { env = {}, stack = STACK, ...input } = {}) {
      const all = { ...places, ...env }
      // An empty one stands for one that is not set.
      const variables = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
      const outcome = await runCommand(
        `infra/operate/commands/${command}.ts`,
        [...args, '--stack', stack],
        variables,
        input,
      )
      for (const secret of SECRETS) expect(outcome.stdout + outcome.stderr).not.toContain(secret)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      clients.destroy()
      await gateway.close()
      await table.close()
      await aws[Symbol.asyncDispose]()
    },
  }
}

const identity = { accessKeyId: 'local', secretAccessKey: 'local-secret' }
