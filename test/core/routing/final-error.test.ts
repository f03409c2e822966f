import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { ErrorCode } from '../../../lambdas/core/routing/error-codes.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { FAILURE_KINDS } from '../../../lambdas/core/failures/kinds.ts'
import { finalErrorOf } from '../../../lambdas/core/routing/final-error.ts'
import type { Skipped } from '../../../lambdas/core/routing/plan.ts'
import type { Trail } from '../../../lambdas/core/routing/trail.ts'
import { verdict } from '../../../lambdas/core/failures/verdict.ts'
import { attemptRecord, failureOf, skippedAs } from '../build.ts'

const NOW = 1_000_000

/** A failure of this kind as the classifier usually judges it. */
const usual = (kind: Failure['kind'], overrides: Partial<Failure> = {}): Failure =>
  failureOf({ ...verdict(kind), status: 400, message: `${kind} it was.`, ...overrides })

const spent = usual('quota_exhausted', { class: 'non_retryable' })
const after = (retryAfterMs: number): Failure => usual('rate_limit', { retryAfterMs })

const trailOf = (failures: readonly Failure[]): Trail =>
  failures.map((failure, index) => attemptRecord(`p${index}/m`, failure))

type Ending = Parameters<typeof finalErrorOf>[0]
const errorOn = (failures: readonly Failure[], ending: Partial<Ending> = {}) =>
  finalErrorOf({
    alias: 'alias',
    trail: trailOf(failures),
    skipped: [],
    reason: 'exhausted',
    now: NOW,
    ...ending,
  })

describe('the code', () => {
  const cooling = (cause: Skipped['cause']): Skipped => skippedAs('cooldown', { until: NOW + 5, cause })
  const rows: [string, Failure[], Skipped[], ErrorCode][] = [
    ['of a content filter', [usual('content_filter')], [], 'content_filter'],
    ['of a prompt that is too long', [usual('context_length')], [], 'context_length_exceeded'],
    ['of a body that is too large', [usual('payload_too_large')], [], 'payload_too_large'],
    ['of a broken request', [usual('bad_request')], [], 'rejected_by_upstream'],
    [
      "of our own operator's guardrail",
      [usual('permission', { scope: 'provider', tryNext: false })],
      [],
      'rejected_by_upstream',
    ],
    [
      'of capabilities that all lack',
      [usual('unsupported_tools'), usual('unsupported_param')],
      [],
      'no_capable_endpoint',
    ],
    ['of rate limits everywhere', [usual('rate_limit'), usual('quota_exhausted')], [], 'rate_limit_exceeded'],
    ['of money walls everywhere', [spent, spent], [], 'quota_exhausted'],
    ['of a money wall and a rate limit', [spent, usual('rate_limit')], [], 'rate_limit_exceeded'],
    [
      'of a limit beside limited endpoints',
      [usual('rate_limit')],
      [cooling('quota_exhausted')],
      'rate_limit_exceeded',
    ],
    [
      'of a limit beside endpoints that were never an option',
      [usual('rate_limit')],
      [skippedAs('no_key'), skippedAs('no_tools')],
      'rate_limit_exceeded',
    ],
    ['of a limit beside a sick endpoint', [usual('rate_limit')], [cooling('overloaded')], 'upstream_failed'],
    ['of a limit beside a quarantine', [usual('rate_limit')], [skippedAs('quarantined')], 'upstream_failed'],
    ['of a limit and a server error', [usual('rate_limit'), usual('server_error')], [], 'upstream_failed'],
    ['of a timeout', [usual('timeout')], [], 'upstream_timeout'],
    [
      'of a timeout among others',
      [usual('rate_limit'), usual('timeout'), usual('server_error')],
      [],
      'upstream_timeout',
    ],
    ['of models that are all gone', [usual('model_not_found'), usual('model_unavailable')], [], 'model_gone'],
    [
      'of a model gone beside one that is away',
      [usual('model_not_found')],
      [cooling('overloaded')],
      'upstream_failed',
    ],
    [
      'of a model gone beside one without a key',
      [usual('model_not_found')],
      [skippedAs('no_key')],
      'model_gone',
    ],
    ['of a model gone and a broken host', [usual('model_not_found'), usual('tls')], [], 'upstream_failed'],
    ['of a refused key', [usual('auth')], [], 'upstream_failed'],
    [
      'of a lack and a server error',
      [usual('unsupported_tools'), usual('server_error')],
      [],
      'upstream_failed',
    ],
    [
      'prefers what every host would find to every other',
      [usual('timeout'), usual('bad_request', { tryNext: false }), usual('rate_limit')],
      [],
      'rejected_by_upstream',
    ],
    [
      'is no refusal of a weaker endpoint while a better one may return',
      [usual('timeout'), usual('context_length'), usual('rate_limit')],
      [],
      'upstream_timeout',
    ],
    [
      'is the limit of the first endpoint, whatever a weaker one refused',
      [usual('rate_limit'), usual('context_length')],
      [],
      'rate_limit_exceeded',
    ],
    [
      'is the limit of a skipped endpoint before the refusal of a lower tier',
      [usual('content_filter')],
      [cooling('rate_limit')],
      'rate_limit_exceeded',
    ],
    [
      'is the refusal of the first endpoint, whoever may return',
      [usual('content_filter'), usual('rate_limit')],
      [],
      'content_filter',
    ],
    [
      'is the first refusal where every endpoint refuses',
      [usual('bad_request'), usual('context_length')],
      [],
      'rejected_by_upstream',
    ],
    [
      'prefers a filter to a length',
      [usual('content_filter'), usual('context_length')],
      [],
      'content_filter',
    ],
  ]
  test.each(rows)('%s', (_, failures, skipped, code) => {
    expect(errorOn(failures, { skipped }).code).toBe(code)
  })

  it('of a passed deadline is a timeout, unless limits alone were in the way', () => {
    expect(errorOn([usual('server_error')], { reason: 'deadline' }).code).toBe('upstream_timeout')
    expect(errorOn([usual('rate_limit')], { reason: 'deadline' }).code).toBe('rate_limit_exceeded')
  })
})

describe('the wait', () => {
  const back = (ms: number): Skipped => skippedAs('quarantined', { until: NOW + ms })
  const rows: [string, Failure[], Skipped[], number | null][] = [
    ['is the soonest that an upstream stated', [after(90_000), after(20_000)], [], 20_000],
    ['is the return of a skipped endpoint where that is sooner', [after(90_000)], [back(7_000)], 7_000],
    ['is nothing for an endpoint that is back already', [after(90_000)], [back(-7_000)], 0],
    ['is a minute where a limit states none', [usual('rate_limit')], [], 60_000],
    ['is half a minute where a trouble states none', [usual('server_error')], [], 30_000],
    [
      'does not come from a failure that no wait cures',
      [usual('auth', { retryAfterMs: 5 }), after(20_000)],
      [],
      20_000,
    ],
    ['does not exist where waiting cures nothing', [usual('auth')], [skippedAs('no_key')], null],
    ['does not exist for a spent account', [spent], [], null],
    [
      'does not exist for models that are gone',
      [usual('model_unavailable', { class: 'retryable', retryAfterMs: 5 })],
      [],
      null,
    ],
    [
      "does not exist for the request's own fault",
      [after(5), usual('bad_request', { tryNext: false })],
      [back(5)],
      null,
    ],
  ]
  test.each(rows)('%s', (_, failures, skipped, retryAfterMs) => {
    expect(errorOn(failures, { skipped }).retryAfterMs).toBe(retryAfterMs)
  })

  it('is what an endpoint said last, not what it said before its retry', () => {
    const trail = [attemptRecord('a/one', after(1_000)), attemptRecord('a/one', after(300_000))]
    expect(errorOn([], { trail }).retryAfterMs).toBe(300_000)
  })

  it('of one key does not hide that of another', () => {
    const trail = [
      { ...attemptRecord('a/one', after(1_000)), key: 'k1' },
      { ...attemptRecord('a/one', after(300_000)), key: 'k2' },
    ]
    expect(errorOn([], { trail }).retryAfterMs).toBe(1_000)
  })
})

describe('the message', () => {
  it('names the alias, every hop and every skipped endpoint', () => {
    const skipped = [skippedAs('quarantined', { name: 'z/skipped', until: NOW + 2_000 })]
    const { message } = errorOn([usual('overloaded', { status: 529 }), usual('dns', { status: null })], {
      skipped,
    })
    expect(message).toBe(
      "No endpoint of 'alias' answered. p0/m: overloaded (529) overloaded it was.; p1/m: dns dns it was. " +
        'Skipped: z/skipped (quarantined, 2 s)',
    )
  })

  it("quotes the upstream on the request's own fault", () => {
    const { message } = errorOn([
      usual('server_error'),
      usual('bad_request', { message: 'No such role', tryNext: false }),
    ])
    expect(message).toMatch(
      /^The request cannot be served as it is: No such role\. Called: p0\/m: server_error/,
    )
  })

  const failures = fc
    .record({
      kind: fc.constantFrom(...FAILURE_KINDS),
      status: fc.option(fc.integer({ min: 400, max: 599 })),
    })
    .map(({ kind, status }) => usual(kind, { status, message: 'x'.repeat(1_000) }))

  it('names the reason of each hop, and stays short, whatever failed', () => {
    fc.assert(
      fc.property(fc.array(failures, { minLength: 1, maxLength: 12 }), trail => {
        const { message } = errorOn(trail)
        for (const [index, { kind, status }] of trail.entries()) {
          expect(message).toContain(`p${index}/m: ${kind}${status === null ? '' : ` (${status})`} `)
        }
        expect(message.length).toBeLessThan(1_200 + 350 * trail.length)
      }),
    )
  })
})
