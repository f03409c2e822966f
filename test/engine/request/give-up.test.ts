import { describe, expect, it, test } from 'vitest'
import type { GiveUpReason } from '../../../lambdas/core/routing/next-step.ts'
import type { Skipped } from '../../../lambdas/core/routing/plan.ts'
import type { Trail } from '../../../lambdas/core/routing/trail.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../../lambdas/core/settings/settings.ts'
import { giveUp } from '../../../lambdas/engine/request/give-up.ts'
import type { Run } from '../../../lambdas/engine/request/run.ts'
import {
  attemptRecord,
  chainOf,
  emptySnapshot,
  failureOf,
  rateLimit,
  requestFor,
  skippedAs,
} from '../../core/build.ts'

const NOW = 1_000_000
const runWith = (settings: Partial<Settings> = {}, sentOnce = false): Run => ({
  client: new AbortController().signal,
  startedAt: NOW,
  endsAt: NOW + 60_000,
  request: requestFor(),
  chain: chainOf([['a/one']]),
  settings: { ...DEFAULT_SETTINGS, ...settings },
  snapshot: emptySnapshot(),
  retryLimit: { promptTokens: 100, budget: 8_000 },
  sentOnce,
})
const codeOf = (
  run: Run,
  trail: Trail,
  reason: GiveUpReason = 'exhausted',
  skipped: readonly Skipped[] = [],
) =>
  giveUp(
    run,
    { plan: { candidates: [], skipped, lastResorts: [], degraded: false }, trail, retryTokens: 0 },
    reason,
    NOW,
  ).code

const limited = [attemptRecord('a/one', rateLimit())]
const broken = [attemptRecord('a/one', failureOf())]

describe('what the client is told', () => {
  it('is how the attempts ended', () => {
    expect(codeOf(runWith(), limited)).toBe('rate_limit_exceeded')
    expect(codeOf(runWith(), broken)).toBe('upstream_failed')
  })

  it('is when to return, where everything planned was barred before its call', () => {
    const cooling = skippedAs('cooldown', { until: NOW + 9_000, cause: 'rate_limit' })
    const run = runWith()
    const plan = { candidates: [], skipped: [cooling], lastResorts: [], degraded: false }
    const told = giveUp(run, { plan, trail: [], retryTokens: 0 }, 'exhausted', NOW)
    expect(told).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 9_000 })
    // Neither waits a request that has given up, nor does it call a quarantined endpoint.
    const due = skippedAs('breaker_open', { until: NOW })
    expect(codeOf(run, [], 'exhausted', [due])).toBe('no_endpoint_available')
    expect(codeOf(run, [], 'exhausted', [skippedAs('quarantined')])).toBe('all_quarantined')
  })

  it('is nothing but that it left, where it left', () => {
    const client = new AbortController()
    client.abort()
    expect(codeOf({ ...runWith(), client: client.signal }, limited)).toBe('client_left')
  })
})

describe('a request that must be sent once', () => {
  const once = (tool_retries: Settings['tool_retries'] = 'strict') => runWith({ tool_retries }, true)
  const silent = [attemptRecord('a/one', failureOf({ kind: 'timeout', status: null }))]

  test.each([
    ['a limit', limited, 'tool_round_limited'],
    ['a server error', broken, 'tool_round_failed'],
    ['a timeout', silent, 'tool_round_timeout'],
  ] as const)('hears after %s what would have allowed another try', (_, trail, code) => {
    expect(codeOf(once(), trail)).toBe(code)
  })

  it('hears the plain reason where no endpoint was called, or where it is at fault itself', () => {
    expect(codeOf(once(), [], 'exhausted', [skippedAs('quarantined')])).toBe('all_quarantined')
    const refused = [
      attemptRecord(
        'a/one',
        failureOf({ kind: 'bad_request', scope: 'request', status: 400, tryNext: false }),
      ),
    ]
    expect(codeOf(once(), refused, 'request_fault')).toBe('rejected_by_upstream')
  })

  it('hears the plain reason too where every endpoint has turned it away, and that may be repeated', () => {
    expect(codeOf(once('turned_away'), limited)).toBe('rate_limit_exceeded')
    expect(codeOf(once('turned_away'), [...limited, ...broken])).toBe('tool_round_failed')
    expect(codeOf(once('strict'), limited)).toBe('tool_round_limited')
  })
})
