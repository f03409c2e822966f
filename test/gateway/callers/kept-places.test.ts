import { describe, expect, it, test } from 'vitest'
import { isLeased } from '../../../lambdas/core/callers/limit-counters.ts'
import type { Counters } from '../../../lambdas/store/fleet-store.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { createUnreliableStore, type Mishap } from '../../support/tables/unreliable-store.ts'
import { seededRandom } from '../../bench/week/random.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { startLimited } from './start-limited.ts'

const open = endAfterEach()

const LIMITS = { pk: 'usage#client#app', sk: 'limits' } as const
const SECOND = 1_000
const MISHAPS: readonly Mishap[] = ['none', 'refused', 'late']
const forever = new AbortController().signal

/** Gateways of one fleet, whose table goes wrong as it is told to. */
async function startFleet(limits: object, instances = 1) {
  const world = createWorld()
  const table: { next: (add: Counters) => Mishap } = { next: () => 'none' }
  const store = createUnreliableStore(world.store, world.clock, add => table.next(add))
  const script = [chatStream(['To', 'ken'])]
  const fleet = []
  for (let index = 0; index < instances; index += 1)
    fleet.push(open(await startLimited({ app: limits }, script, { ...world, store })))
  const placesTaken = (): number =>
    Object.entries(world.store.usageAt(LIMITS))
      .filter(([name]) => isLeased(name, world.clock.now()))
      .reduce((sum, [, leases]) => sum + Math.abs(leases), 0)
  return { clock: world.clock, table, fleet, store: world.store, placesTaken }
}

describe('a place of a limit on simultaneous requests is not lost', () => {
  test.each(MISHAPS)('where the table takes every write like this: %s', async mishap => {
    const { clock, table, fleet, placesTaken } = await startFleet({ concurrency: 4 }, 2)
    const [one, other] = fleet
    table.next = () => mishap
    for (let sent = 0; sent < 12; sent += 1) {
      expect((await one?.ask({ stream: true }))?.status).toBe(200)
      await one?.gateway.settled()
      clock.pass(SECOND)
    }
    table.next = () => 'none'
    expect(placesTaken()).toBe(0)
    const together = Array.from({ length: 4 }, () => other?.ask({ stream: true }))
    expect((await Promise.all(together)).map(answer => answer?.status)).toEqual([200, 200, 200, 200])
  })

  it('where only what gives it back is refused: the next request does it', async () => {
    const { clock, table, fleet, placesTaken } = await startFleet({ concurrency: 1 })
    const [one] = fleet
    const givesBack = (add: Counters): boolean =>
      Object.entries(add).some(([name, count]) => isLeased(name, clock.now()) && count < 0)
    table.next = add => (givesBack(add) ? 'refused' : 'none')
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await one?.ask())?.status).toBe(200)
      await one?.gateway.settled()
      expect(placesTaken()).toBe(1)
    }
    table.next = () => 'none'
    expect((await one?.ask())?.status).toBe(200)
    await one?.gateway.settled()
    expect(placesTaken()).toBe(0)
  })

  test.each(MISHAPS)('where an answer lasts for minutes, and renews it: %s', async mishap => {
    const { clock, table, fleet, placesTaken } = await startFleet({ concurrency: 3 })
    const [one] = fleet
    one?.upstream.play([{ ...chatStream(Array.from({ length: 40 }, () => 'Token ')), gapMs: 10 * SECOND }])
    const long = one?.ask({ stream: true })
    await clock.sleep(30 * SECOND, forever)
    table.next = () => mishap
    await clock.sleep(200 * SECOND, forever)
    table.next = () => 'none'
    expect((await long)?.done).toBe(true)
    await one?.gateway.settled()
    expect(placesTaken()).toBe(0)
  })
})

test.each([1, 2, 3, 4])('whatever goes wrong, each request counts once (%d)', async seed => {
  const limits = { concurrency: 50, requestsPerDay: 10_000, tokensPerDay: 10_000_000, dollarsPerMonth: 50 }
  const { clock, table, fleet, store, placesTaken } = await startFleet(limits, 3)
  const random = seededRandom(seed)
  table.next = () => MISHAPS[Math.floor(random() * MISHAPS.length)] ?? 'none'
  for (let round = 0; round < 10; round += 1) {
    const asked = fleet.flatMap(({ ask }) => [ask({ stream: true }), ask()])
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    clock.pass(random() * 40 * SECOND)
  }
  await Promise.all(fleet.map(({ gateway }) => gateway.settled()))
  // The next request of an instance writes what it could not; its record waits for its time.
  table.next = () => 'none'
  clock.pass(60 * SECOND)
  for (const { ask, gateway } of fleet) {
    await ask({ stream: true })
    await gateway.settled()
  }
  const lines = fleet.flatMap(({ gateway }) => gateway.completed)
  const counters = store.usageAt(LIMITS)
  const countOf = (prefix: string): number | undefined =>
    Object.entries(counters).find(([name]) => name.startsWith(prefix))?.[1]
  expect(placesTaken()).toBe(0)
  expect(countOf('rd')).toBe(lines.length)
  expect(countOf('td')).toBe(lines.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? NaN), 0))
  expect(countOf('dm')).toBeCloseTo(
    lines.reduce((sum, { dollars }) => sum + (dollars ?? NaN), 0),
    9,
  )
  const records = store.usageAddresses().filter(({ pk }) => pk.startsWith('usage#record#'))
  expect(records.reduce((sum, at) => sum + (store.usageAt(at)['n'] ?? 0), 0)).toBe(lines.length)
})
