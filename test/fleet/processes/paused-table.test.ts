import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TABLE } from '../../../infra/local/table/dynamo.ts'
import { openLocalFleet } from '../../../infra/local/table/local-fleet.ts'
import { createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import { ask } from '../../support/ask.ts'
import { createTurnedClock } from '../../support/clocks/turned-clock.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { tellSkipped } from '../../support/tell-skipped.ts'
import {
  missingForDynamoDbLocal,
  startDynamoDbLocal,
  type DynamoDbLocal,
} from '../../support/tables/dynamodb-local.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../instances/end-after-each.ts'

const REQUESTS = 12
const EVERY_MS = 5_000
/** The client of the table sees this much of the pause, more than any of its limits; the rest of the minute is turned. */
const FRESH_MS = 1_001

const open = endAfterEach()
const missing = tellSkipped('a table that is paused for a minute', missingForDynamoDbLocal())
const name = missing === null ? 'DynamoDB Local' : `DynamoDB Local (skipped: ${missing})`

describe.skipIf(missing !== null)(`while ${name} is paused for a minute`, () => {
  let dynamo: DynamoDbLocal
  beforeAll(async () => {
    dynamo = await startDynamoDbLocal()
  }, 300_000)
  afterAll(() => dynamo.close())

  it('every process tries a dead endpoint at most twice, nothing hangs, and memory returns', async () => {
    const local = await openLocalFleet({ AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint })
    open({ [Symbol.asyncDispose]: local.close })
    const clock = createTurnedClock()
    const gone = errorAnswer(404, { message: 'The model `m` does not exist' })
    const dead = open(await startUpstream([gone]))
    const removed = open(
      await startUpstream([errorAnswer(410, { message: 'This model was decommissioned.' })]),
    )
    const good = open(await startUpstream([chatStream(['here'])]))
    const urls = { dead: dead.url, removed: removed.url, good: good.url }
    const configuration = configOf(urls, [['dead/m'], ['removed/m'], ['good/m']])

    async function startInstance() {
      const access = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
      const clients = createDynamoClients({ endpoint: dynamo.endpoint, ...access })
      open({ [Symbol.asyncDispose]: async () => clients.destroy() })
      const store = createDynamoStore({ clients, table: LOCAL_TABLE, now: clock.now })
      return open(await startGateway(configuration, {}, { clock, store }))
    }
    type Instance = Awaited<ReturnType<typeof startInstance>>

    /** Answered, and everything that it wanted to write is written or given up. */
    async function serve(instance: Instance): Promise<void> {
      expect(await ask(instance)).toMatchObject({ status: 200, content: 'here' })
      await instance.settled()
    }
    const callsOf = (upstream: ScriptedUpstream, before: number): number => upstream.calls() - before

    const warm = await startInstance()
    await fetch(`${warm.url}/v1/endpoints`)
    dynamo.pause()
    try {
      for (const instance of [warm, await startInstance()]) {
        const before = [dead.calls(), removed.calls()] as const
        for (let count = 0; count < REQUESTS; count += 1) {
          await serve(instance)
          clock.pass(EVERY_MS)
        }
        expect(callsOf(dead, before[0])).toBeLessThanOrEqual(2)
        expect(callsOf(removed, before[1])).toBeLessThanOrEqual(2)
        expect(instance.lines.some(({ event }) => event === 'state-error')).toBe(true)
      }
    } finally {
      dynamo.resume()
    }

    const before = dead.calls()
    const health = async (): Promise<unknown> => {
      clock.pass(FRESH_MS)
      await serve(warm)
      const response = await fetch(`${warm.url}/v1/endpoints`)
      const { data } = (await response.json()) as { data: { endpoint: string; health: string }[] }
      return data.find(({ endpoint }) => endpoint === 'dead/m')?.health
    }
    // A paused table may still do what reached it before its client gave up, so that more evidence counts than was known.
    await expect.poll(health, { timeout: 60_000, interval: 200 }).toMatch(/^(?:suspect|quarantined)$/)
    // What was seen during the pause is obeyed for a minute, then the table must be told.
    expect(callsOf(dead, before)).toBeLessThanOrEqual(2)
    expect(warm.handlerErrors).toEqual([])
  }, 300_000)
})
