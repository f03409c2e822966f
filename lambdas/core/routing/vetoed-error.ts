import type { ErrorCode, FinalError } from './error-codes.ts'
import { codeWithoutFault, describeHop, retryAfter, type Ending } from './final-error.ts'
import type { Veto } from './next-step.ts'
import type { RetryLimit } from '../tokens/retry-tokens.ts'

type VetoedEnding = Omit<Ending, 'reason'> & {
  reason: Veto
  retryLimit: RetryLimit
  /** What retries have cost so far. */
  spent: number
}

const count = (tokens: number): string => tokens.toLocaleString('en')

function toolRoundError(ending: VetoedEnding): FinalError {
  const failures = ending.trail.flatMap(({ failure }) => failure ?? [])
  const usual = codeWithoutFault(failures, ending)
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    rate_limit_exceeded: 'tool_round_limited',
    quota_exhausted: 'tool_round_limited',
    upstream_timeout: 'tool_round_timeout',
  }
  const message =
    'This request holds results of tools. It was not retried, because a retry could run tools again that have ' +
    `already run: ${ending.trail.map(describeHop).join('; ')}. To allow retries, send one id for the whole session ` +
    'in x-backstop-session (or Idempotency-Key) with each of its requests. Without one, the setting ' +
    'tool_retries=turned_away calls the next endpoint where no endpoint has begun to work on the request, and ' +
    'tool_retries=lenient after any failure.'
  // An SDK that repeats it by itself, after a wait, would do just what this error is about.
  return { code: codes[usual] ?? 'tool_round_failed', message, retryAfterMs: null }
}

function retryBudgetError(ending: VetoedEnding): FinalError {
  const { alias, trail, spent, retryLimit } = ending
  const { promptTokens, budget } = retryLimit
  const message =
    `No endpoint of '${alias}' answered within the retry budget: ${count(spent)} tokens spent on retries ` +
    `+ ${count(promptTokens)} for the prompt of one more = ${count(spent + promptTokens)}, more than the ` +
    `${count(budget)} allowed (setting retry_token_budget; a client lowers it with ` +
    `x-backstop-retry-token-budget). Called: ${trail.map(describeHop).join('; ')}`
  return { code: 'retry_budget_exhausted', message, retryAfterMs: retryAfter(ending) }
}

/** What the client is told when a rule forbade the next attempt, although an endpoint was left to call. */
export const vetoedError = (ending: VetoedEnding): FinalError =>
  ending.reason === 'tool_round' ? toolRoundError(ending) : retryBudgetError(ending)
