import { providerShardKeys, type StatsKey } from '../../../lambdas/core/item-keys.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import type { CounterKind } from '../../../lambdas/core/health/counter-names.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { startProcessFleet, type ProcessFleet } from '../instances/process-fleet.ts'
import { openStore, totalOf } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const PROCESSES = 8
const CLIENTS = 40
const THRESHOLD = 2
/** Longer than successes wait for their flush. */
const FLUSH_MS = 10_100

const open = endAfterEach()
let dynamo: EmbeddedDynamo
beforeAll(async () => {
  dynamo = await startSharedDynamo()
}, 300_000)
afterAll(() => dynamo.close())

const clients = (alias: (client: number) => string): object[] =>
  Array.from({ length: CLIENTS }, (_, client) => ({ model: alias(client) }))

const keyless = (urls: Record<string, string>): object =>
  Object.fromEntries(Object.entries(urls).map(([id, baseUrl]) => [id, { baseUrl, key: false }]))

async function startFleet(urls: Record<string, string>, models: object, variables = {}) {
  const fleet = open(
    await startProcessFleet({
      size: PROCESSES,
      configuration: { providers: keyless(urls), models },
      dynamo: dynamo.endpoint,
      // A busy machine must not decide how old a picture may be.
      variables: { STATE_WAIT_MS: '1000', ...variables },
    }),
  )
  const { store, close } = openStore(dynamo.endpoint)
  open({ [Symbol.asyncDispose]: async () => close() })
  return { fleet, store }
}

/** Writes that the table did not take in time: none, unless the machine is very busy. */
const refused = (fleet: ProcessFleet): number => fleet.linesOf('state-error').length

/** What was sent must have been counted, unless a gateway reported that the table refused a write. */
async function expectTotal(
  { fleet, store }: { fleet: ProcessFleet; store: FleetStore },
  keys: readonly StatsKey[],
  kind: CounterKind,
  sent: number,
): Promise<void> {
  const total = await totalOf(store, keys, kind)
  expect(total).toBeLessThanOrEqual(sent)
  expect(refused(fleet) === 0 ? total : sent).toBe(sent)
}

/** Every process serves one more request, long enough after its last flush to write whatever waits. */
async function flush(fleet: ProcessFleet, body: object): Promise<void> {
  await sleep(FLUSH_MS)
  await Promise.all(fleet.processes.map(process => process.serve(body)))
}

const idOf = async (fleet: ProcessFleet, name: string): Promise<string> => {
  const [first] = fleet.processes
  first?.thaw()
  // A table that a busy machine reads too slowly is an error, and no list.
  const list = async () => {
    const response = await fetch(`${first?.url}/v1/endpoints`)
    return response.ok ? ((await response.json()) as { data: { endpoint: string; id: string }[] }).data : null
  }
  await expect.poll(list).not.toBeNull()
  const data = (await list()) ?? []
  first?.freeze()
  return data.find(({ endpoint }) => endpoint === name)?.id ?? ''
}

describe(`eight processes that run only while they serve, over one ${DYNAMO_NAME}`, () => {
  it('pay for a dead endpoint with the threshold and what was under way, and lose no count', async () => {
    const dead = open(await startUpstream([errorAnswer(404, { message: 'The model `m` does not exist' })]))
    const good = open(await startUpstream([chatStream(['here'])]))
    const models = { chat: { tiers: [['dead/m'], ['good/m']] } }
    const { fleet, store } = await startFleet({ dead: dead.url, good: good.url }, models)

    const answers = [
      ...(await fleet.serve(clients(() => 'chat'))),
      ...(await fleet.serve(clients(() => 'chat'))),
    ]
    expect(answers.map(({ status, content }) => [status, content])).toEqual(
      Array.from({ length: 2 * CLIENTS }, () => [200, 'here']),
    )
    // A process learns from its own failure at the latest, so none of them pays twice once the evidence is there.
    expect(dead.calls()).toBeGreaterThanOrEqual(THRESHOLD)
    expect(dead.calls()).toBeLessThanOrEqual(THRESHOLD + PROCESSES + refused(fleet))

    await flush(fleet, { model: 'chat' })
    const [deadId, goodId] = [await idOf(fleet, 'dead/m'), await idOf(fleet, 'good/m')]
    const tables = { fleet, store }
    await expectTotal(tables, [`endpoint#${deadId}`], 'evidence', dead.calls())
    await expectTotal(tables, [`endpoint#${deadId}`], 'dayFailed', dead.calls())
    await expectTotal(tables, [`endpoint#${goodId}`], 'dayOk', good.calls())
    await expectTotal(tables, providerShardKeys('good'), 'ok', good.calls())
  }, 300_000)

  it('send one half-open trial for each opening of a breaker', async () => {
    const ill = open(await startUpstream([errorAnswer(500, { message: 'The server had an error.' })]))
    const well = open(await startUpstream([chatStream(['here'])]))
    const aliases = Array.from({ length: 10 }, (_, index) => `alias-${index}`)
    const models = Object.fromEntries(
      aliases.map((alias, index) => [alias, { tiers: [[`ill/m${index}`, 'well/m']] }]),
    )
    const urls = { ill: ill.url, well: well.url }
    const { fleet, store } = await startFleet(urls, models, { BREAKER_OPEN_MS: '2000' })
    const burst = clients(client => aliases[client % aliases.length] ?? '')
    const breaker = async () => {
      const item = await store.readStateItem('breaker#provider#ill')
      return item?.kind === 'breaker' ? item.breaker.state : 'closed'
    }
    const trials = () =>
      fleet
        .linesOf('breaker-transition')
        .filter(({ to, provider }) => to === 'half-open' && provider === 'ill')

    const answers = [...(await fleet.serve(burst.slice(0, 2 * aliases.length)))]
    expect(await breaker()).not.toBe('closed')
    const before = ill.calls() - trials().length
    expect(before).toBeLessThanOrEqual(5 + PROCESSES + refused(fleet))

    for (let bursts = 0; bursts < 8 && trials().length < 3; bursts += 1) {
      answers.push(...(await fleet.serve(burst)))
      await sleep(500)
    }
    expect(trials().length).toBeGreaterThanOrEqual(2)
    expect(ill.calls()).toBe(before + trials().length)
    expect(answers.every(({ content }) => content === 'here')).toBe(true)

    await flush(fleet, { model: aliases[0] })
    await expectTotal({ fleet, store }, providerShardKeys('ill'), 'failed', before)
    await expectTotal({ fleet, store }, providerShardKeys('well'), 'ok', well.calls())
  }, 300_000)
})
