import { expect, it } from 'vitest'
import type { NotedAttempt } from '../../lambdas/engine/memory/fleet-memory.ts'
import { endpointNamed, failureOf } from '../core/build.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()

it('one request counts once towards a bench, also where another one failed between its tries', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const endpoint = endpointNamed('a/m')
  const { memory } = open(
    createInstance({ store, clock, endpoints: [endpoint], settings: { breaker_min_requests: 100 } }),
  )
  const fail = (requestId: string): void => {
    const attempt: NotedAttempt = { endpoint, key: null, requestId, startedAt: clock.now() }
    memory.failed(attempt, failureOf({ scope: 'endpoint' }))
  }
  const benched = () => store.items().filter(({ key }) => key.startsWith('breaker#endpoint#'))

  await memory.snapshot()
  for (const request of ['one', 'two', 'one', 'two']) fail(request)
  await memory.settled()
  expect(benched()).toEqual([])
  fail('three')
  await memory.settled()
  expect(benched()).toHaveLength(1)
})
