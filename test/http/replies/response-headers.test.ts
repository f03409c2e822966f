import { describe, expect, it, test } from 'vitest'
import { CORS } from '../../../lambdas/contract.ts'
import type { Plan } from '../../../lambdas/core/routing/plan.ts'
import { retryHeaders, routeHeaders } from '../../../lambdas/http/replies/response-headers.ts'
import { attemptRecord, candidatesOf, failureOf, rateLimit, skippedAs } from '../../core/build.ts'

const NOW = 1_000_000
const plan: Plan = {
  candidates: candidatesOf([['a/one'], ['b/two']]),
  skipped: [],
  lastResorts: [],
  degraded: false,
}
const trail = [attemptRecord('a/one', rateLimit()), { ...attemptRecord('b/two', null), tier: 1 }]

describe('the way of a chat request', () => {
  it('is told hop by hop: endpoint, outcome, status, milliseconds', () => {
    const headers = routeHeaders({ plan, trail, served: trail[1] ?? null, now: NOW })
    expect(headers).toEqual({
      'x-backstop-attempts': '2',
      'x-backstop-chain': 'a/one;rate_limit;429;10 > b/two;ok;200;10',
      'x-backstop-served-by': 'b/two',
      'x-backstop-tier': '2',
    })
  })

  it('leaves the status empty where no response came', () => {
    const silent = [attemptRecord('a/one', failureOf({ kind: 'dns', status: null }))]
    expect(routeHeaders({ plan, trail: silent, served: null, now: NOW })['x-backstop-chain']).toBe(
      'a/one;dns;;10',
    )
  })

  it('names no endpoint where none was called, or answered', () => {
    expect(routeHeaders({ plan, trail: [], served: null, now: NOW })).toEqual({
      'x-backstop-attempts': '0',
    })
  })

  it('names what was skipped: endpoint, reason, seconds to go', () => {
    const skipped = [
      skippedAs('quarantined', { name: 'openrouter/deepseek/chat:free', until: NOW + 540_000 }),
      skippedAs('no_key', { name: 'c/three' }),
    ]
    const headers = routeHeaders({ plan: { ...plan, skipped }, trail, served: null, now: NOW })
    expect(headers['x-backstop-skipped']).toMatch(/;quarantined;540, c\/three;no_key;$/)
  })

  it('says so where the fleet is degraded', () => {
    const degraded = { ...plan, degraded: true }
    const headers = routeHeaders({ plan: degraded, trail, served: null, now: NOW })
    expect(headers['x-backstop-mode']).toBe('degraded')
  })

  it('can be read by browsers', () => {
    const skipped = [skippedAs('no_key')]
    const known = { ...plan, skipped, lastResorts: [], degraded: true }
    const headers = {
      ...routeHeaders({ plan: known, trail, served: trail[0] ?? null, now: NOW }),
      ...retryHeaders(60_000),
    }
    expect(CORS.exposeHeaders).toEqual(expect.arrayContaining(Object.keys(headers)))
  })
})

describe('advice on asking again', () => {
  const rows: [string, number | null, Record<string, string>][] = [
    ['forbids it where waiting does not help', null, { 'x-should-retry': 'false' }],
    ['leaves short waits to the SDK', 10_000, { 'retry-after': '10' }],
    ['rounds up, so that nobody comes back too early', 2_001, { 'retry-after': '3' }],
    ['never says zero seconds', 0, { 'retry-after': '1' }],
    ['keeps SDKs from sleeping for hours', 10_001, { 'retry-after': '11', 'x-should-retry': 'false' }],
    ['states long waits all the same', 3_600_000, { 'retry-after': '3600', 'x-should-retry': 'false' }],
  ]
  test.each(rows)('%s', (_, retryAfterMs, expected) => {
    expect(retryHeaders(retryAfterMs)).toEqual(expected)
  })
})
