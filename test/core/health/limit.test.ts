import { describe, expect, it, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { isConcurrency, lastResortEvery, limitOf } from '../../../lambdas/core/health/limit.ts'
import { failureOf } from '../build.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const waitsOf = (failure: Partial<Failure>, untilReset: number | null = null): readonly number[] => {
  const limit = limitOf(failureOf(failure), untilReset)
  return limit?.ladder.kind === 'steps' ? limit.ladder.waitsMs : []
}
const statedOf = (failure: Partial<Failure>): number | null =>
  limitOf(failureOf(failure), null)?.statedMs ?? null

/** Five seconds, a quarter of a minute for five minutes, then a minute. */
const CAPACITY_S = [5, ...Array.from({ length: 20 }, () => 15), 60]

describe('waits where none was stated', () => {
  const rows: [string, Partial<Failure>, readonly number[]][] = [
    ['a rate limit', { kind: 'rate_limit', scope: 'model' }, [2, 10, 60, 120, 600, 3_600]],
    [
      'too many requests at the same time',
      { kind: 'rate_limit', scope: 'model', message: 'Too many concurrent requests.' },
      [1, 2, 5, 10],
    ],
    ['an overloaded model', { kind: 'overloaded', scope: 'model' }, CAPACITY_S],
    ['a model that is loading', { kind: 'loading', scope: 'model' }, CAPACITY_S],
    ['a full site', { kind: 'site_capacity', scope: 'model' }, [30, 120, 600, 3_600]],
    ['a permission', { kind: 'permission', scope: 'model' }, [60, 600, 3_600, 86_400]],
    ['what an edge says', { kind: 'permission', scope: 'endpoint' }, [10, 60, 600]],
    ['a refused key', { kind: 'auth', scope: 'key' }, [300]],
    ['a spent quota', { kind: 'quota_exhausted', scope: 'key' }, [3_600]],
    [
      'an empty account',
      { kind: 'quota_exhausted', scope: 'key', class: 'non_retryable' },
      [600, 3_600, 21_600, 86_400],
    ],
  ]
  test.each(rows)('%s', (_, failure, seconds) => {
    expect(waitsOf(failure)).toEqual(seconds.map(count => count * SECOND))
  })

  it('a spent quota waits for the known reset, an empty account does not', () => {
    expect(waitsOf({ kind: 'quota_exhausted', scope: 'key' }, 5 * HOUR)).toEqual([5 * HOUR])
    const empty = waitsOf({ kind: 'quota_exhausted', scope: 'key', class: 'non_retryable' }, 5 * HOUR)
    expect(empty[0]).toBe(10 * MINUTE)
  })

  it('a lone 5xx, timeout, reset or cut is no limit', () => {
    for (const kind of ['server_error', 'timeout', 'network', 'malformed_response'] as const) {
      expect(limitOf(failureOf({ kind, scope: 'endpoint' }), null)).toBeNull()
    }
  })
})

describe('what was stated', () => {
  const rows: [string, Partial<Failure>, number | null][] = [
    ['is taken as it is', { kind: 'rate_limit', scope: 'key', retryAfterMs: 7_000 }, 7_000],
    ['of zero was not stated', { kind: 'rate_limit', scope: 'key', retryAfterMs: 0 }, null],
    ['that has passed was not stated', { kind: 'rate_limit', scope: 'key', retryAfterMs: -5 }, null],
    ['is a day at most', { kind: 'rate_limit', scope: 'key', status: 429, retryAfterMs: 90 * DAY }, DAY],
    [
      'is a month at most where a month is spoken of',
      {
        kind: 'quota_exhausted',
        scope: 'key',
        status: 429,
        retryAfterMs: 90 * DAY,
        message: 'monthly limit reached',
      },
      31 * DAY,
    ],
    [
      'by a 5xx is ten minutes at most',
      { kind: 'server_error', scope: 'model', retryAfterMs: DAY },
      10 * MINUTE,
    ],
    [
      'by an edge is ten minutes at most',
      { kind: 'rate_limit', scope: 'endpoint', retryAfterMs: DAY },
      10 * MINUTE,
    ],
  ]
  test.each(rows)('%s', (_, failure, expected) => expect(statedOf(failure)).toBe(expected))
})

describe('whom a limit bars', () => {
  const rows: [string, Partial<Failure>, string | null][] = [
    ['a limit of a key', { kind: 'rate_limit', scope: 'key' }, 'key'],
    ['our limit at a model: one key of it', { kind: 'rate_limit', scope: 'model' }, 'key-model'],
    ['their capacity at a model: all keys of it', { kind: 'site_capacity', scope: 'model' }, 'model'],
    ['an edge: the endpoint', { kind: 'permission', scope: 'endpoint' }, 'model'],
    ['a limit of all of the provider', { kind: 'site_capacity', scope: 'provider' }, 'provider'],
    [
      'a 5xx that states a wait: its model, never its siblings',
      { kind: 'server_error', scope: 'provider', retryAfterMs: 5_000 },
      'model',
    ],
    ["the client's own fault: nobody", { kind: 'bad_request', scope: 'request', retryAfterMs: 5_000 }, null],
    ['what another Backstop says: its alias', { kind: 'rate_limit', scope: 'key', relayed: true }, 'model'],
    ['a model that is gone: nobody', { kind: 'model_not_found', scope: 'model', structural: true }, null],
  ]
  test.each(rows)('%s', (_, failure, target) => {
    expect(limitOf(failureOf(failure), null)?.target ?? null).toBe(target)
  })
})

test.each([
  'Too many concurrent requests',
  'Concurrency limit exceeded for this model',
  'You may make 2 simultaneous requests',
  'Max parallel requests reached',
  'requests in flight: 3, limit 2',
])('"%s" speaks of simultaneous requests', message => {
  expect(isConcurrency(failureOf({ kind: 'rate_limit', message }))).toBe(true)
})

test.each(['Rate limit reached: 30 requests per minute', 'Too many requests', 'Please slow down'])(
  '"%s" does not',
  message => expect(isConcurrency(failureOf({ kind: 'rate_limit', message }))).toBe(false),
)

test('a last resort is called more often the less its calls cost', () => {
  const guess = { step: 0, since: 0, openedAt: 0, until: 0, slots: false }
  const every = (kind: Failure['kind'], slots = false): number =>
    lastResortEvery({ ...guess, kind, slots }, 2_000)
  expect(every('server_error')).toBe(2_000)
  expect(every('overloaded')).toBe(2_000)
  expect(every('rate_limit', true)).toBe(2_000)
  expect(every('rate_limit')).toBe(10_000)
  expect([every('auth'), every('permission'), every('quota_exhausted')]).toEqual([MINUTE, MINUTE, MINUTE])
})
