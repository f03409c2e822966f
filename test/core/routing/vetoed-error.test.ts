import { expect, it, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { vetoedError } from '../../../lambdas/core/routing/vetoed-error.ts'
import { attemptRecord, failureOf, rateLimit, timeout } from '../build.ts'

const endingOn = (failures: readonly Failure[]) => ({
  alias: 'alias',
  trail: failures.map((failure, index) => attemptRecord(`p${index}/m`, failure)),
  skipped: [],
  now: 1_000_000,
  retryLimit: { promptTokens: 5_000, budget: 15_000 },
  spent: 12_345,
})

test.each([
  ['tool_round_limited', rateLimit({ retryAfterMs: 2_000 })],
  ['tool_round_limited', failureOf({ kind: 'quota_exhausted', class: 'non_retryable' })],
  ['tool_round_timeout', timeout()],
  ['tool_round_failed', failureOf()],
  ['tool_round_failed', failureOf({ kind: 'model_not_found', class: 'fatal' })],
] as const)(
  'a round that is sent once ends with %s, and is not to be repeated by itself',
  (code, failure) => {
    const error = vetoedError({ ...endingOn([failure]), reason: 'tool_round' })
    expect(error).toMatchObject({ code, retryAfterMs: null })
    expect(error.message).toContain(`p0/m: ${failure.kind}`)
    expect(error.message).toContain('x-backstop-session')
  },
)

it('a budget that is spent shows its arithmetic, and when it is worth to ask again', () => {
  const ending = endingOn([failureOf(), rateLimit({ retryAfterMs: 7_000 })])
  const { code, message, retryAfterMs } = vetoedError({ ...ending, reason: 'retry_tokens' })
  expect([code, retryAfterMs]).toEqual(['retry_budget_exhausted', 7_000])
  expect(message).toContain(
    '12,345 tokens spent on retries + 5,000 for the prompt of one more = 17,345, more than the 15,000 allowed',
  )
  expect(message).toMatch(/Called: p0\/m: server_error .*; p1\/m: rate_limit/)
})
