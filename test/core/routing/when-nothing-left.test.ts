import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { ErrorCode } from '../../../lambdas/core/routing/error-codes.ts'
import type { Skipped } from '../../../lambdas/core/routing/plan.ts'
import { whenNothingLeft } from '../../../lambdas/core/routing/when-nothing-left.ts'
import { endpointNamed, skippedAs } from '../build.ts'

const NOW = 1_000_000
const PATIENCE_MS = 8_000
const GIVEN = { alias: 'alias', now: NOW }

const cooling = (ms: number, cause: Skipped['cause'] = 'rate_limit', name = 'a/one'): Skipped =>
  skippedAs('cooldown', { name, until: NOW + ms, cause })
const judge = (skipped: readonly Skipped[], patienceMs = PATIENCE_MS) =>
  whenNothingLeft({ ...GIVEN, skipped, patienceMs })
const errorOn = (skipped: readonly Skipped[]) => {
  const judged = judge(skipped)
  return judged.kind === 'reject' ? judged.finalError : expect.fail('it waits')
}

describe('a plan without candidates is rejected', () => {
  const rows: [string, Skipped[], ErrorCode, number | null][] = [
    [
      'where nothing can do what is needed',
      [skippedAs('no_tools'), skippedAs('no_vision')],
      'no_capable_endpoint',
      null,
    ],
    ['where every window is too small', [skippedAs('context_too_small')], 'context_length_exceeded', null],
    [
      'where windows are only one of the reasons',
      [skippedAs('context_too_small'), skippedAs('no_json')],
      'no_capable_endpoint',
      null,
    ],
    [
      'where the capable ones have no key',
      [skippedAs('no_tools'), skippedAs('no_key')],
      'no_provider_key',
      null,
    ],
    [
      'with the soonest return where all are limited',
      [cooling(90_000), cooling(60_000, 'quota_exhausted')],
      'rate_limit_exceeded',
      60_000,
    ],
    [
      'the same where a known quota is spent',
      [skippedAs('quota', { until: NOW + 30_000 }), cooling(60_000)],
      'rate_limit_exceeded',
      30_000,
    ],
    [
      'as limited where the others could never serve it',
      [cooling(60_000), skippedAs('no_key'), skippedAs('no_tools')],
      'rate_limit_exceeded',
      60_000,
    ],
    [
      'not as limited where one of the cooldowns is for something else',
      [cooling(60_000), cooling(90_000, 'overloaded')],
      'no_endpoint_available',
      60_000,
    ],
    [
      'not as limited where a breaker is open',
      [cooling(60_000), skippedAs('breaker_open', { until: NOW + 30_000 })],
      'no_endpoint_available',
      30_000,
    ],
    [
      'with the next probe where all are quarantined',
      [skippedAs('quarantined', { until: NOW + 540_000 }), skippedAs('quarantined')],
      'all_quarantined',
      540_000,
    ],
    ['without a return where nobody knows of one', [skippedAs('quarantined')], 'all_quarantined', null],
    [
      'as unavailable where the reasons are mixed',
      [skippedAs('quarantined'), cooling(60_000)],
      'no_endpoint_available',
      60_000,
    ],
    [
      'at once where only a probe can help, however soon',
      [skippedAs('quarantined', { until: NOW + 1 })],
      'all_quarantined',
      1,
    ],
  ]
  test.each(rows)('%s', (_, skipped, code, retryAfterMs) => {
    expect(errorOn(skipped)).toMatchObject({ code, retryAfterMs })
  })

  it('names every endpoint that is away, and for how long', () => {
    const { message } = errorOn([cooling(60_000), skippedAs('quarantined', { name: 'b/two' })])
    expect(message).toContain('a/one (cooldown: rate_limit, 60 s)')
    expect(message).toContain('b/two (quarantined)')
  })

  it('says whether the prompt is too long or the endpoints cannot do it', () => {
    expect(errorOn([skippedAs('context_too_small')]).message).toMatch(/^The prompt is longer than .* a\/one/)
    expect(errorOn([skippedAs('no_json')]).message).toMatch(/^No endpoint of 'alias' can do .* a\/one/)
  })

  it('names the providers that need a key, each once', () => {
    const keyless = ['groq/m', 'groq/n', 'mistral/m'].map(name => skippedAs('no_key', { name }))
    expect(errorOn(keyless)).toMatchObject({
      code: 'no_provider_key',
      message: "No provider of 'alias' has a key.",
      keylessProviders: ['groq', 'mistral'],
    })
  })
})

describe('a plan without candidates waits', () => {
  const rows: [string, Skipped[], number][] = [
    ['for the soonest return that fits', [cooling(5_000), cooling(2_000)], 2_000],
    ['to the very end of the patience', [cooling(PATIENCE_MS)], PATIENCE_MS],
    ['not at all where the return has come meanwhile', [cooling(-5)], 0],
    ['for a cooldown beside a quarantine', [skippedAs('quarantined', { until: NOW + 1 }), cooling(900)], 900],
    [
      'beside endpoints that could never serve it',
      [skippedAs('no_key'), skippedAs('no_tools'), cooling(900)],
      900,
    ],
  ]
  test.each(rows)('%s', (_, skipped, waitMs) => {
    expect(judge(skipped)).toEqual({ kind: 'wait', waitMs })
  })

  it('not for what is only guessed: nobody waits for a trial of somebody else', () => {
    const guesses = [
      skippedAs('breaker_open', { until: NOW + 700, lastResortAt: NOW + 300 }),
      { ...cooling(900), lastResortAt: NOW + 500 },
    ]
    expect(judge(guesses)).toMatchObject({ kind: 'reject', finalError: { retryAfterMs: 300 } })
  })

  it('no longer than the patience, and never for what has no known end', () => {
    const returns = fc.record({
      reason: fc.constantFrom('no_tools', 'no_key', 'quarantined', 'breaker_open', 'cooldown'),
      until: fc.option(fc.integer({ min: NOW - 100, max: NOW + 20_000 })),
    }) satisfies fc.Arbitrary<Pick<Skipped, 'reason' | 'until'>>
    const skips = returns.map(({ reason, until }) => skippedAs(reason, { until }))
    fc.assert(
      fc.property(fc.array(skips, { minLength: 1 }), fc.nat(10_000), (skipped, patienceMs) => {
        const judged = judge(skipped, patienceMs)
        const waitMs = judged.kind === 'wait' ? judged.waitMs : 0
        expect(waitMs).toBeGreaterThanOrEqual(0)
        expect(waitMs).toBeLessThanOrEqual(patienceMs)
        const timed = skipped.some(({ reason }) => reason === 'cooldown')
        expect(judged.kind === 'wait' && !timed).toBe(false)
      }),
    )
  })
})

it('an endpoint keeps the name that its owner gave it in every message', () => {
  const endpoint = endpointNamed('office/m', { id: 'office@4f2a/m' })
  const { message } = errorOn([{ ...skippedAs('quarantined'), endpoint }])
  expect(message).toContain('office/m (')
  expect(message).not.toContain('4f2a')
})
