import { expect, it } from 'vitest'
import type { NotedAttempt } from '../../lambdas/engine/memory/fleet-memory.ts'
import { endpointNamed, failureOf } from '../core/build.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { seededRandom } from '../bench/week/random.ts'

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

/** A busy fleet before one endpoint of which some calls fail; how many requests it was barred for, of how many. */
async function playNoise(instances: number, everyMs: number, share: number) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const random = seededRandom(7)
  const endpoint = endpointNamed('a/m')
  const fleet = Array.from({ length: instances }, (_, index) =>
    open(
      createInstance({ store, clock: { ...clock, random: () => index / instances }, endpoints: [endpoint] }),
    ),
  )
  let barred = 0
  const requests = 6_000
  for (let count = 0; count < requests; count += 1) {
    const instance = fleet[count % instances]
    const plan = await instance?.plan(endpoint)
    const failure = random() < share ? failureOf({ scope: 'endpoint' }) : null
    const candidate = plan?.candidates[0]
    if (!candidate) barred += 1
    else if (candidate.trial.length > 0) await instance?.trial(endpoint, failure)
    else await instance?.request({ endpoint, failure })
    clock.pass(everyMs / instances)
  }
  return { barred, requests }
}

it.each([
  [40, 1_000, 0.01],
  [40, 250, 0.05],
])(
  'of %d instances with a request every %d ms none bars an endpoint because a share of %d fails',
  async (instances, everyMs, share) => {
    const { barred, requests } = await playNoise(instances, everyMs, share)
    expect(barred / requests).toBeLessThan(0.01)
  },
  60_000,
)
