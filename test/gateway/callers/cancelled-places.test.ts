import { expect, test } from 'vitest'
import { isLeased, leaseCounter } from '../../../lambdas/core/callers/limit-counters.ts'
import type { Counters } from '../../../lambdas/store/fleet-store.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { createUnreliableStore, type Mishap } from '../../support/tables/unreliable-store.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startLimited } from './start-limited.ts'

test('a place that is given back and taken again in one write leaves the limits of others in force', async () => {
  const world = createWorld()
  const givesBack = (add: Counters): boolean =>
    Object.entries(add).some(([name, count]) => isLeased(name, world.clock.now()) && count < 0)
  const table: { next: (add: Counters) => Mishap } = { next: add => (givesBack(add) ? 'refused' : 'none') }
  const store = createUnreliableStore(world.store, world.clock, add => table.next(add))
  const clients = { app: { concurrency: 1 }, other: { concurrency: 1 } }
  await using one = await startLimited(clients, [chatStream(['To', 'ken'])], { ...world, store })
  expect((await one.ask()).status).toBe(200)
  await one.gateway.settled()
  table.next = () => 'none'
  expect((await one.ask()).status).toBe(200)
  await one.gateway.settled()
  // The only place of the other caller is taken on another instance.
  const place = { pk: 'usage#client#other', sk: 'limits' } as const
  await world.store.addUsage(place, { [leaseCounter(world.clock.now())]: 1 }, [], 0)
  expect((await one.ask({}, 'other')).status).toBe(429)
})
