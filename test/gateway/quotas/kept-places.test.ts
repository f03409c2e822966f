import { expect, test } from 'vitest'
import { quotaKey } from '../../../lambdas/core/item-keys.ts'
import { ask } from '../../support/ask.ts'
import { createUnreliableStore, type Mishap } from '../../support/tables/unreliable-store.ts'
import { seededRandom } from '../../bench/week/random.ts'
import { startUp } from './start-limited-up.ts'

const SECOND = 1_000
const KEY = quotaKey('up', null, null)
const MISHAPS: readonly Mishap[] = ['none', 'refused', 'late']

/** Gateways of one fleet, whose table goes wrong as it is told to. */
async function startFleet(quotas: object, instances: number) {
  const table: { next: () => Mishap } = { next: () => 'none' }
  const { start, ...world } = await startUp(quotas, {
    storeOf: ({ store, clock }) => createUnreliableStore(store, clock, () => table.next()),
  })
  const fleet = []
  for (let index = 0; index < instances; index += 1) fleet.push(await start())
  return { ...world, table, fleet }
}

test.each(MISHAPS.flatMap(mishap => [2, 1_000].map(most => [most, mishap] as const)))(
  'none of %d places at a provider is lost where the table takes every write like this: %s',
  async (concurrency, mishap) => {
    const { clock, store, table, fleet } = await startFleet({ concurrency }, 2)
    const [one, other] = fleet
    if (!one || !other) throw new Error('There are no gateways.')
    table.next = () => mishap
    for (let sent = 0; sent < 8; sent += 1) {
      expect((await ask(one, { stream: true })).status).toBe(200)
      await one.settled()
      clock.pass(SECOND)
    }
    table.next = () => 'none'
    expect(store.quotaAt(KEY)['c_n'] ?? 0).toBe(0)
    clock.pass(SECOND)
    const together = await Promise.all([ask(other, { stream: true }), ask(other, { stream: true })])
    expect(together.map(({ status }) => status)).toEqual([200, 200])
  },
)

test.each([1, 2, 3, 4])('whatever goes wrong, each call counts once (%d)', async seed => {
  const quotas = { concurrency: 50, requestsPerDay: 10_000, tokensPerDay: 10_000_000 }
  const { clock, store, up, table, fleet } = await startFleet(quotas, 3)
  const random = seededRandom(seed)
  table.next = () => MISHAPS[Math.floor(random() * MISHAPS.length)] ?? 'none'
  let tokens = 0
  const askAll = async (): Promise<void> => {
    for (const { status } of await Promise.all(fleet.map(gateway => ask(gateway, { stream: true }))))
      expect(status).toBe(200)
  }
  for (let round = 0; round < 20; round += 1) {
    await askAll()
    clock.pass(random() * 5 * SECOND)
  }
  await Promise.all(fleet.map(gateway => gateway.settled()))
  // What could not be written goes with the next write, at most one a second.
  table.next = () => 'none'
  for (let round = 0; round < 2; round += 1) {
    clock.pass(2 * SECOND)
    await askAll()
    await Promise.all(fleet.map(gateway => gateway.settled()))
  }
  tokens = fleet
    .flatMap(({ completed }) => completed)
    .reduce((sum, { usage }) => sum + (usage?.totalTokens ?? NaN), 0)
  const counters = store.quotaAt(KEY)
  expect(counters['c_n']).toBe(0)
  expect(counters['rd_n']).toBe(up.calls())
  expect(counters['td_n']).toBe(tokens)
})
