import { describe, expect, it, test } from 'vitest'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { ownFieldsOf } from '../../../lambdas/core/health/client-fields.ts'
import type { NotedAttempt } from '../../../lambdas/engine/memory/note-failure.ts'
import { endpointNamed, failureOf, rateLimit, timeout, timed } from '../../core/build.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { createInstance } from '../../fleet/instances/engine-instance.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'

const open = endAfterEach()
const KEY = 'k1'
const LIMIT = `limit#key-model#up/one#${KEY}` as const
const ONE = endpointNamed('up/one')
const TWO = endpointNamed('up/two')
const OTHER = endpointNamed('else/m')

/** One instance over a table, and what its table holds after it was told of attempts. */
async function start(endpoints: readonly Endpoint[] = [ONE, TWO, OTHER]) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const { memory } = open(createInstance({ store, clock, endpoints }))
  await memory.snapshot()
  let requests = 0
  const attemptAt = (endpoint: Endpoint, more: Partial<NotedAttempt> = {}): NotedAttempt => ({
    endpoint,
    key: KEY,
    requestId: `request-${(requests += 1)}`,
    startedAt: clock.now(),
    ...more,
  })
  return {
    clock,
    async fail(endpoint: Endpoint, failure: Failure, more: Partial<NotedAttempt> = {}) {
      memory.failed(attemptAt(endpoint, more), failure)
      await memory.settled()
    },
    async answer(endpoint: Endpoint, more: Partial<NotedAttempt> = {}) {
      const attempt = attemptAt(endpoint, more)
      memory.committed(attempt)
      memory.succeeded(attempt, timed())
      await memory.settled()
    },
    memory,
    /** The keys of all breakers that are not closed. */
    barred: () =>
      store
        .items()
        .filter(item => item.kind === 'breaker' && item.breaker.state !== 'closed')
        .map(({ key }) => key)
        .toSorted(),
    until: (key: string) => {
      const item = store.items().find(found => found.key === key)
      const breaker = item?.kind === 'breaker' && item.breaker.state !== 'closed' ? item.breaker : null
      return (breaker?.stated?.until ?? breaker?.guess?.until ?? Number.NaN) - clock.now()
    },
    health: (id: string) => {
      const item = store.items().find(found => found.key === `endpoint#${id}`)
      return item?.kind === 'endpoint' ? item.health.state : 'healthy'
    },
  }
}

const serverError = (): Failure => failureOf({ kind: 'server_error', scope: 'provider', status: 500 })
const gone = (): Failure =>
  failureOf({ kind: 'model_not_found', scope: 'model', class: 'fatal', structural: true, status: 404 })

describe('a limit', () => {
  test.each<[string, Failure, string, number]>([
    [
      'of a model of a key, for its stated wait',
      rateLimit({ scope: 'model', retryAfterMs: 30_000 }),
      `limit#key-model#up/one#${KEY}`,
      30_000,
    ],
    [
      'of a model of a key, by the first guess',
      rateLimit({ scope: 'model' }),
      `limit#key-model#up/one#${KEY}`,
      2_000,
    ],
    ['of a key', rateLimit({ scope: 'key' }), `limit#key#up#${KEY}`, 2_000],
    [
      'of a refused key',
      failureOf({ kind: 'auth', scope: 'key', status: 401 }),
      `limit#key#up#${KEY}`,
      300_000,
    ],
    [
      'of a whole provider',
      failureOf({ kind: 'site_capacity', scope: 'provider', status: 429 }),
      'limit#provider#up',
      30_000,
    ],
  ])('%s', async (_, failure, key, ms) => {
    const { fail, barred, until, health } = await start()
    await fail(ONE, failure)
    expect(barred()).toEqual([`breaker#${key}`])
    expect(until(`breaker#${key}`)).toBe(ms)
    expect(health('up/one')).toBe('healthy')
  })

  it('of a second model of the same key within a minute is the key’s', async () => {
    const { fail, barred } = await start()
    await fail(ONE, rateLimit({ scope: 'model' }))
    await fail(TWO, rateLimit({ scope: 'model' }))
    expect(barred()).toEqual([
      `breaker#limit#key#up#${KEY}`,
      `breaker#limit#key-model#up/one#${KEY}`,
      `breaker#limit#key-model#up/two#${KEY}`,
    ])
  })

  it('of another provider, or of another key, says nothing of this one', async () => {
    const { fail, barred } = await start()
    await fail(ONE, rateLimit({ scope: 'model' }))
    await fail(TWO, rateLimit({ scope: 'model' }), { key: 'k2' })
    expect(barred()).not.toContain(`breaker#limit#key#up#${KEY}`)
    expect(barred()).not.toContain('breaker#limit#key#up#k2')
  })

  it('that a field of the client may have caused bars nobody', async () => {
    const { fail, barred } = await start()
    const ownFields = ownFieldsOf({ messages: [], service_tier: 'flex' })
    await fail(ONE, failureOf({ kind: 'permission', scope: 'key', status: 403 }), { ownFields })
    expect(barred()).toEqual([])
  })
})

describe('the bench', () => {
  it('takes three requests in a row', async () => {
    const { fail, barred } = await start([ONE, TWO, OTHER])
    for (const _ of [1, 2]) await fail(ONE, serverError())
    expect(barred()).toEqual([])
    await fail(ONE, serverError())
    expect(barred()).toEqual(['breaker#endpoint#up/one'])
  })

  it('counts one request once, however often it tried', async () => {
    const { fail, barred } = await start()
    for (const _ of [1, 2, 3, 4]) await fail(ONE, serverError(), { requestId: 'the same' })
    expect(barred()).toEqual([])
  })

  it('counts no timeout of a very long prompt', async () => {
    const { fail, barred } = await start()
    for (const _ of [1, 2, 3, 4, 5, 6]) await fail(ONE, timeout(), { promptTokens: 50_000 })
    expect(barred()).toEqual([])
  })
})

describe('a provider', () => {
  it('is barred where two of its models fail more often than not', async () => {
    const { fail, barred } = await start()
    for (const endpoint of [ONE, TWO, ONE, TWO, ONE]) await fail(endpoint, serverError())
    expect(barred()).toContain('breaker#provider#up')
  })

  it('is not, where one of them answers', async () => {
    const { fail, answer, barred } = await start()
    for (const _ of [1, 2, 3]) {
      await fail(ONE, serverError())
      await answer(TWO)
    }
    expect(barred()).not.toContain('breaker#provider#up')
  })
})

describe('health', () => {
  it('follows from what is gone, at two suspect and at four quarantined', async () => {
    const { fail, health } = await start()
    await fail(ONE, gone())
    expect(health('up/one')).toBe('healthy')
    await fail(ONE, gone())
    expect(health('up/one')).toBe('suspect')
    for (const _ of [1, 2]) await fail(ONE, gone())
    expect(health('up/one')).toBe('quarantined')
    expect(health('up/two')).toBe('healthy')
  })

  it('is regained by a suspect that answers', async () => {
    const { fail, answer, health } = await start()
    for (const _ of [1, 2]) await fail(ONE, gone())
    await answer(ONE)
    expect(health('up/one')).toBe('healthy')
  })
})

describe('an answer', () => {
  it('frees a slot where simultaneous requests are limited', async () => {
    const { fail, answer, barred } = await start()
    await fail(ONE, rateLimit({ scope: 'model', message: 'Too many concurrent requests' }))
    expect(barred()).toEqual([`breaker#${LIMIT}`])
    // It was under way before, so that it says nothing else.
    await answer(ONE, { startedAt: 0 })
    expect(barred()).toEqual([])
  })

  it('ends the guess that barred its endpoint', async () => {
    const { fail, answer, barred, clock, memory } = await start()
    await fail(ONE, rateLimit({ scope: 'model' }))
    clock.pass(2_001)
    const trial = await memory.claimTrial(ONE, [{ scope: LIMIT, everyMs: null }])
    expect(trial?.scopes).toEqual([LIMIT])
    await answer(ONE, { trial })
    expect(barred()).toEqual([])
  })
})
