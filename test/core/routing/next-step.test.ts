import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Candidate } from '../../../lambdas/core/endpoint.ts'
import { nextStep, untried, type FailedAttempt, type Step } from '../../../lambdas/core/routing/next-step.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import {
  candidatesOf,
  contextTooLong,
  endpointNamed,
  failedAttempt,
  failureOf,
  rateLimit,
  progressOf,
  timeout,
} from '../build.ts'

const twoTiers = candidatesOf([['a/one', 'b/one'], ['c/two']])
const lonelyTiers = candidatesOf([['a/one'], ['c/two']])

describe('the step after a failure', () => {
  const rows: [string, readonly Candidate[], FailedAttempt[], Step][] = [
    [
      'fails over at once to an untried replica',
      twoTiers,
      [failedAttempt(0)],
      { kind: 'fail_over', candidate: 1 },
    ],
    [
      'retries the last replica of a tier once, after the backoff',
      twoTiers,
      [failedAttempt(0), failedAttempt(1, { via: 'fail_over' })],
      { kind: 'retry', candidate: 1, key: null, waitMs: 200 },
    ],
    [
      'degrades when the retry failed too',
      lonelyTiers,
      [failedAttempt(0), failedAttempt(0, { via: 'retry', waitedMs: 200 })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'waits as long as the upstream said before a retry',
      lonelyTiers,
      [failedAttempt(0, { failure: rateLimit({ retryAfterMs: 2_000 }) })],
      { kind: 'retry', candidate: 0, key: null, waitMs: 2_000 },
    ],
    [
      'degrades rather than wait past the patience',
      lonelyTiers,
      [failedAttempt(0, { failure: rateLimit({ retryAfterMs: 3_001 }) })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'never asks a timed-out route twice',
      lonelyTiers,
      [failedAttempt(0, { failure: timeout() })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'never retries a structural failure',
      lonelyTiers,
      [
        failedAttempt(0, {
          failure: failureOf({ class: 'fatal', structural: true, kind: 'model_not_found' }),
        }),
      ],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'never retries an answer that broke off after output',
      lonelyTiers,
      [failedAttempt(0, { outputStarted: true })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'does not hammer a quota of unknown return',
      lonelyTiers,
      [failedAttempt(0, { failure: rateLimit({ kind: 'quota_exhausted' }) })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'gives up where the request itself is at fault',
      twoTiers,
      [failedAttempt(0, { failure: failureOf({ kind: 'bad_request', tryNext: false }) })],
      { kind: 'give_up', reason: 'request_fault' },
    ],
    [
      'does not shop a filtered prompt around',
      twoTiers,
      [failedAttempt(0, { failure: failureOf({ kind: 'content_filter', class: 'non_retryable' }) })],
      { kind: 'give_up', reason: 'request_fault' },
    ],
    [
      'gives up when nothing is left',
      candidatesOf([['a/one']]),
      [failedAttempt(0, { failure: timeout() })],
      { kind: 'give_up', reason: 'exhausted' },
    ],
    [
      'takes a suspect only after every healthy candidate',
      [...candidatesOf([[], ['c/two']]), ...candidatesOf([['~a/one']])],
      [failedAttempt(0, { failure: timeout() })],
      { kind: 'degrade', candidate: 1 },
    ],
    [
      'sends a prompt that was too long to the next model, not to a replica of the same',
      twoTiers,
      [failedAttempt(0, { failure: contextTooLong() })],
      { kind: 'degrade', candidate: 2 },
    ],
  ]
  test.each(rows)('%s', (_, candidates, failed, expected) => {
    expect(nextStep(progressOf(candidates, failed))).toEqual(expected)
  })

  it('shops a filtered prompt around where the owner allows it', () => {
    const failed = [
      failedAttempt(0, { failure: failureOf({ kind: 'content_filter', class: 'non_retryable' }) }),
    ]
    const settings = { ...DEFAULT_SETTINGS, content_filter: 'next' as const }
    expect(nextStep(progressOf(twoTiers, failed, { settings }))).toEqual({ kind: 'fail_over', candidate: 1 })
  })

  it('gives up when the deadline for the first byte has passed', () => {
    const step = nextStep(progressOf(twoTiers, [failedAttempt(0)], { elapsedMs: 45_000 }))
    expect(step).toEqual({ kind: 'give_up', reason: 'deadline' })
  })

  it('asks nobody else where the client wants the first endpoint only', () => {
    const failed = [failedAttempt(0, { failure: timeout() })]
    expect(nextStep(progressOf(twoTiers, failed, { fallback: false }))).toEqual({
      kind: 'give_up',
      reason: 'exhausted',
    })
  })
})

describe('keys', () => {
  const keyed = candidatesOf([['a/one'], ['b/two']], ['k1', 'k2', 'k3'])

  it('rotates to the next key of the same endpoint, at once', () => {
    const failed = [failedAttempt(0, { key: 'k1', failure: rateLimit() })]
    expect(nextStep(progressOf(keyed, failed))).toEqual({ kind: 'rotate', candidate: 0, key: 'k2' })
  })

  it('does not rotate for what no key can cure', () => {
    const failed = [failedAttempt(0, { key: 'k1', failure: timeout() })]
    expect(nextStep(progressOf(keyed, failed)).kind).toBe('degrade')
  })

  it('walks dead keys without spending attempts', () => {
    const dead = failureOf({ kind: 'quota_exhausted', class: 'non_retryable', scope: 'key', status: 402 })
    const failed = ['k1', 'k2', 'k3'].map((key, index) =>
      failedAttempt(0, { key, via: index === 0 ? 'start' : 'rotate', failure: dead }),
    )
    const settings = { ...DEFAULT_SETTINGS, retry_max_attempts: 2 }
    expect(nextStep(progressOf(keyed, failed, { settings }))).toEqual({ kind: 'degrade', candidate: 1 })
  })
})

describe('the trial of a breaker', () => {
  const tiers = (keys: readonly string[] = []) => candidatesOf([['a/one'], ['b/two']], keys)

  it('is one call: no other key follows it', () => {
    const failed = [failedAttempt(0, { key: 'k1', failure: rateLimit(), trial: true })]
    expect(nextStep(progressOf(tiers(['k1', 'k2']), failed))).toEqual({ kind: 'degrade', candidate: 1 })
  })

  it('is one call: no retry follows it', () => {
    const failed = [failedAttempt(0, { trial: true })]
    expect(nextStep(progressOf(tiers(), failed))).toEqual({ kind: 'degrade', candidate: 1 })
  })
})

describe('a last resort', () => {
  it('comes behind everything else, and no attempt is kept for it', () => {
    const [first, second, third] = candidatesOf([['a/one', 'b/one'], ['c/two']])
    if (!first || !second || !third) throw new Error('three candidates')
    const candidates = [first, third, { ...second, lastResort: true }]
    const failed = [failedAttempt(0, { failure: timeout() })]
    expect(nextStep(progressOf(candidates, failed))).toEqual({ kind: 'degrade', candidate: 1 })
    const settings = { ...DEFAULT_SETTINGS, retry_max_attempts: 2 }
    const only = [first, { ...third, lastResort: true }]
    expect(nextStep(progressOf(only, [failedAttempt(0)], { settings }))).toMatchObject({ kind: 'retry' })
  })
})

it('every key of a list is tried, and costs no attempt', () => {
  const keys = Array.from({ length: 12 }, (_, index) => `k${index}`)
  const failed = keys
    .slice(0, 11)
    .map((key, index) =>
      failedAttempt(0, { key, via: index === 0 ? 'start' : 'rotate', failure: rateLimit() }),
    )
  expect(nextStep(progressOf(candidatesOf([['a/one']], keys), failed))).toEqual({
    kind: 'rotate',
    candidate: 0,
    key: 'k11',
  })
})

describe('a candidate that went away meanwhile', () => {
  it('is passed over', () => {
    const dropped = new Set([1])
    expect(nextStep(progressOf(twoTiers, [failedAttempt(0)], { dropped }))).toMatchObject({ kind: 'retry' })
    const failed = [failedAttempt(0, { failure: timeout() })]
    expect(nextStep(progressOf(twoTiers, failed, { dropped }))).toEqual({ kind: 'degrade', candidate: 2 })
  })

  it('leaves nothing where it was the last one', () => {
    const failed = [failedAttempt(0, { failure: timeout() })]
    expect(nextStep(progressOf(lonelyTiers, failed, { dropped: new Set([1]) }))).toEqual({
      kind: 'give_up',
      reason: 'exhausted',
    })
  })
})

describe('attempts', () => {
  it('keeps one for every tier that was not reached', () => {
    const candidates = candidatesOf([['a/one', 'b/one', 'c/one', 'd/one'], ['e/two'], ['f/three']])
    const failed = [failedAttempt(0), failedAttempt(1, { via: 'fail_over' })]
    expect(nextStep(progressOf(candidates, failed))).toEqual({ kind: 'degrade', candidate: 4 })
  })

  it('keeps none for suspects at the end of the plan', () => {
    const candidates = [...candidatesOf([['a/one', 'b/one']]), ...candidatesOf([[], ['~e/two']])]
    const settings = { ...DEFAULT_SETTINGS, retry_max_attempts: 2 }
    expect(nextStep(progressOf(candidates, [failedAttempt(0)], { settings }))).toEqual({
      kind: 'fail_over',
      candidate: 1,
    })
  })

  it('are four by default', () => {
    const candidates = candidatesOf([['a/1', 'b/1', 'c/1', 'd/1', 'e/1']])
    const failed = [0, 1, 2, 3].map(index =>
      failedAttempt(index, { via: index === 0 ? 'start' : 'fail_over' }),
    )
    expect(nextStep(progressOf(candidates, failed))).toEqual({ kind: 'give_up', reason: 'attempts' })
  })
})

describe('a prompt that is too long', () => {
  const window = (name: string, contextWindow: number | null, tier: number): Candidate => ({
    endpoint: endpointNamed(name, { contextWindow }),
    tier,
    suspect: false,
    trial: [],
    lastResort: false,
    keys: [],
  })

  it('goes only to a declared larger window, or to one that nobody declared', () => {
    const failed = [failedAttempt(0, { failure: contextTooLong() })]
    const smaller = [window('a/one', 8_000, 0), window('b/two', 8_000, 1), window('c/three', 32_000, 2)]
    expect(nextStep(progressOf(smaller, failed))).toEqual({ kind: 'degrade', candidate: 2 })
    const undeclared = [window('a/one', 8_000, 0), window('b/two', null, 1)]
    expect(nextStep(progressOf(undeclared, failed))).toEqual({ kind: 'degrade', candidate: 1 })
  })

  it('goes to a replica where that declares a larger window', () => {
    const failed = [failedAttempt(0, { failure: contextTooLong() })]
    const replicas = [window('a/one', 8_000, 0), window('b/one', 128_000, 0)]
    expect(nextStep(progressOf(replicas, failed))).toEqual({ kind: 'fail_over', candidate: 1 })
  })
})

describe('laws', () => {
  const failures = fc.constantFrom(
    failureOf(),
    rateLimit(),
    rateLimit({ retryAfterMs: 1_500 }),
    timeout(),
    failureOf({ class: 'fatal', structural: true, kind: 'model_not_found', scope: 'model' }),
    failureOf({ class: 'non_retryable', kind: 'auth', scope: 'key' }),
  )
  const plans = fc
    .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
    .map(tiers =>
      tiers.map((count, tier) => Array.from({ length: count }, (_, index) => `p${tier}${index}/m${tier}`)),
    )
  const walks = fc.record({
    tiers: plans,
    keys: fc.array(fc.constantFrom('k1', 'k2', 'k3'), { maxLength: 3 }).map(list => [...new Set(list)]),
    failures: fc.array(failures, { minLength: 60, maxLength: 60 }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })

  /** Lets every attempt fail and follows the steps to the end. */
  function walk({
    tiers,
    keys,
    failures,
    random,
  }: typeof walks extends fc.Arbitrary<infer Walk> ? Walk : never) {
    const candidates = candidatesOf(tiers, keys)
    const failed: FailedAttempt[] = []
    let next: Pick<FailedAttempt, 'candidate' | 'key' | 'via' | 'waitedMs'> = {
      candidate: 0,
      key: keys[0] ?? null,
      via: 'start',
      waitedMs: 0,
    }
    for (const failure of failures) {
      failed.push(failedAttempt(next.candidate, { ...next, failure }))
      const step = nextStep(progressOf(candidates, failed, { random }))
      if (step.kind === 'give_up') return { candidates, failed }
      next = {
        candidate: step.candidate,
        key: 'key' in step ? step.key : (keys[0] ?? null),
        via: step.kind,
        waitedMs: step.kind === 'retry' ? step.waitMs : 0,
      }
    }
    return expect.fail('the walk did not end')
  }

  it('every walk ends within the attempts, and waits no more than the budget', () => {
    fc.assert(
      fc.property(walks, plan => {
        const { failed } = walk(plan)
        expect(failed.filter(({ via }) => via !== 'rotate').length).toBeLessThanOrEqual(4)
        const waits = failed.map(({ waitedMs }) => waitedMs)
        expect(Math.max(...waits)).toBeLessThanOrEqual(DEFAULT_SETTINGS.retry_patience_ms)
        expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(
          DEFAULT_SETTINGS.retry_total_wait_ms,
        )
      }),
    )
  })

  it('no key is used twice at an endpoint but for one retry, and no timed-out route at all', () => {
    fc.assert(
      fc.property(walks, plan => {
        const { failed } = walk(plan)
        const seen = new Map<string, FailedAttempt>()
        for (const attempt of failed) {
          const before = seen.get(`${attempt.candidate} ${attempt.key}`)
          if (before) {
            expect(attempt.via).toBe('retry')
            expect(before.failure.kind).not.toBe('timeout')
          }
          seen.set(`${attempt.candidate} ${attempt.key}`, attempt)
        }
      }),
    )
  })

  it('every tier is reached while there are as many attempts as tiers', () => {
    fc.assert(
      fc.property(walks, plan => {
        const { candidates, failed } = walk(plan)
        const reached = new Set(failed.map(({ candidate }) => candidates[candidate]?.tier))
        expect(reached.size).toBe(plan.tiers.length)
      }),
    )
  })
})

it('does not wait for a retry in the time that lower tiers need to answer', () => {
  const failed = [failedAttempt(0, { failure: rateLimit({ retryAfterMs: 3_000 }) })]
  const near = { ...DEFAULT_SETTINGS, first_byte_deadline_ms: 12_000 }
  expect(nextStep(progressOf(lonelyTiers, failed, { settings: near }))).toEqual({
    kind: 'degrade',
    candidate: 1,
  })
})

describe('the candidates that may still be called', () => {
  const three = candidatesOf([['a/one', 'b/one', 'c/one']])

  it('are first the one that was ended for the one that failed', () => {
    const progress = progressOf(three, [failedAttempt(1, { via: 'fail_over' })], { again: new Set([0]) })
    expect(untried(progress, 1)).toEqual([0, 2])
    expect(nextStep(progress)).toEqual({ kind: 'fail_over', candidate: 0 })
  })

  it('are only those behind all that have failed once it was called again', () => {
    const failed = [failedAttempt(1, { via: 'fail_over' }), failedAttempt(0, { via: 'fail_over' })]
    expect(untried(progressOf(three, failed), 0)).toEqual([2])
  })

  it.each([
    ['is barred', { dropped: new Set([0]) }, [2]],
    ['is not the one endpoint that the client wants', { fallback: false }, []],
  ])('leave it out where it %s', (_, changes, left) => {
    const failed = [failedAttempt(1, { via: 'fail_over' })]
    expect(untried(progressOf(three, failed, { again: new Set([0]), ...changes }), 1)).toEqual(left)
  })
})
