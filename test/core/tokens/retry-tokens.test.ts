import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { nextStep, type FailedAttempt } from '../../../lambdas/core/routing/next-step.ts'
import {
  affordsRetry,
  failedUsage,
  retryBudget,
  spentOnRetries,
  type RetryLimit,
} from '../../../lambdas/core/tokens/retry-tokens.ts'
import { candidatesOf, failedAttempt, failureOf, rateLimit, progressOf, timeout } from '../build.ts'

describe('the budget', () => {
  const rows: [string, Parameters<typeof retryBudget>, number][] = [
    ['is once the prompt', [0, 10_000, null], 10_000],
    ['is at least 8,000', [0, 12, null], 8_000],
    ['is what was configured, whatever the prompt', [500, 10_000, null], 500],
    ['is lowered by the client', [0, 12, 100], 100],
    ['is never raised by the client', [500, 12, 9_000], 500],
    ['may be lowered to no retries at all', [0, 12, 0], 0],
  ]
  test.each(rows)('%s', (_, given, expected) => {
    expect(retryBudget(...given)).toBe(expected)
  })
})

describe('a failed attempt', () => {
  const usage = { promptTokens: 80, completionTokens: 20, totalTokens: 100 }
  const rows: [string, Parameters<typeof failedUsage>[0], number][] = [
    ['costs what its upstream counted', { status: 200, usage, outputTokens: 7 }, 100],
    [
      'costs its prompt and what came, where nobody counted',
      { status: 200, usage: null, outputTokens: 7.2 },
      58,
    ],
    ['costs its prompt, where nothing came after the 200', { status: 200, usage: null, outputTokens: 0 }, 50],
    ['costs nothing where it was refused', { status: 429, usage: null, outputTokens: 0 }, 0],
    ['costs nothing where no response came', { status: null, usage: null, outputTokens: 0 }, 0],
  ]
  test.each(rows)('%s', (_, remains, expected) => {
    expect(failedUsage(remains, 50).totalTokens).toBe(expected)
  })
})

describe('what retries have cost', () => {
  it('leaves out the first attempt, which is the client’s own spend', () => {
    expect(spentOnRetries([])).toBe(0)
    expect(spentOnRetries([{ tokens: 900 }])).toBe(0)
    expect(spentOnRetries([{ tokens: 900 }, { tokens: 5 }, { tokens: 7 }])).toBe(12)
  })

  it('leaves room for one more while its prompt fits, to the last token', () => {
    const failed = [{ tokens: 900 }, { tokens: 60 }]
    expect(affordsRetry(failed, { promptTokens: 40, budget: 100 })).toBe(true)
    expect(affordsRetry(failed, { promptTokens: 41, budget: 100 })).toBe(false)
  })
})

describe('a step over the budget', () => {
  const tiers = candidatesOf([['a/one'], ['b/two'], ['c/three']])
  const retryLimit = { promptTokens: 40, budget: 100 }

  it('is not made', () => {
    const failed = [
      failedAttempt(0, { failure: timeout(), tokens: 1_000 }),
      failedAttempt(1, { failure: timeout(), via: 'degrade', tokens: 61 }),
    ]
    expect(nextStep(progressOf(tiers, failed, { retryLimit }))).toEqual({
      kind: 'give_up',
      reason: 'retry_tokens',
    })
  })

  it('is not what stops a chain that has come to its end', () => {
    const failed = [failedAttempt(2, { failure: timeout(), tokens: 1_000 })]
    const broke = { promptTokens: 40, budget: 0 }
    expect(nextStep(progressOf(tiers, failed, { retryLimit: broke }))).toEqual({
      kind: 'give_up',
      reason: 'exhausted',
    })
  })

  it('is none where only refusals came before, whatever their number', () => {
    const keyed = candidatesOf([['a/one']], ['k1', 'k2', 'k3'])
    const refused = ['k1', 'k2'].map((key, index) =>
      failedAttempt(0, { key, via: index === 0 ? 'start' : 'rotate', failure: rateLimit() }),
    )
    expect(nextStep(progressOf(keyed, refused, { retryLimit })).kind).toBe('rotate')
  })
})

describe('by estimate', () => {
  const attempts = fc.record({
    failure: fc.constantFrom(failureOf(), rateLimit(), timeout(), failureOf({ status: 200 })),
    usage: fc.option(
      fc.nat(20_000).map(total => ({ promptTokens: total, completionTokens: 0, totalTokens: total })),
    ),
    outputTokens: fc.double({ min: 0, max: 10_000, noNaN: true }),
  })
  const walks = fc.record({
    tiers: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
    keys: fc.constantFrom([], ['k1'], ['k1', 'k2', 'k3']),
    attempts: fc.array(attempts, { minLength: 60, maxLength: 60 }),
    promptTokens: fc.nat(20_000),
    configured: fc.oneof(fc.constant(0), fc.nat(60_000)),
    asked: fc.option(fc.nat(60_000)),
  })

  type Next = Pick<FailedAttempt, 'candidate' | 'key' | 'via' | 'waitedMs'>
  type Walk = typeof walks extends fc.Arbitrary<infer Given> ? Given : never

  /** Lets every attempt fail and follows the steps to the end. */
  function walk({ tiers, keys, attempts: given, promptTokens, configured, asked }: Walk) {
    const names = tiers.map((count, tier) => Array.from({ length: count }, (_, at) => `p${tier}${at}/m`))
    const candidates = candidatesOf(names, keys)
    const retryLimit: RetryLimit = { promptTokens, budget: retryBudget(configured, promptTokens, asked) }
    const failed: FailedAttempt[] = []
    let next: Next = { candidate: 0, key: keys[0] ?? null, via: 'start', waitedMs: 0 }
    for (const { failure, usage, outputTokens } of given) {
      const tokens = failedUsage({ status: failure.status, usage, outputTokens }, promptTokens).totalTokens
      failed.push(failedAttempt(next.candidate, { ...next, failure, tokens }))
      const step = nextStep(progressOf(candidates, failed, { retryLimit }))
      if (step.kind === 'give_up') return { failed, retryLimit, reason: step.reason }
      const key = 'key' in step ? step.key : (keys[0] ?? null)
      next = { candidate: step.candidate, key, via: step.kind, waitedMs: 0 }
    }
    return expect.fail('the walk did not end')
  }

  it('retries never exceed the budget, the output of the last one excluded', () => {
    fc.assert(
      fc.property(walks, given => {
        const { failed, retryLimit } = walk(given)
        for (let count = 2; count <= failed.length; count++) {
          const before = spentOnRetries(failed.slice(0, count - 1))
          expect(before + retryLimit.promptTokens).toBeLessThanOrEqual(retryLimit.budget)
        }
      }),
    )
  })

  it('a chain ends for their sake only where one more would exceed it', () => {
    fc.assert(
      fc.property(walks, given => {
        const { failed, retryLimit, reason } = walk(given)
        if (reason !== 'retry_tokens') return
        expect(spentOnRetries(failed) + retryLimit.promptTokens).toBeGreaterThan(retryLimit.budget)
      }),
    )
  })
})
