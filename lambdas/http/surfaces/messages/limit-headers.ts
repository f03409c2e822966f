import { RESPONSE_HEADERS } from '../../../contract.ts'
import type { LimitState } from '../../../core/callers/limit-states.ts'
import { limitLeft } from '../../replies/limit-headers.ts'

const instant = (at: number): string => new Date(at).toISOString()

/** The same in the names that Anthropic's clients read. https://docs.anthropic.com/en/api/rate-limits#response-headers */
export function anthropicLimitHeaders(states: readonly LimitState[]): Record<string, string> {
  const headers: Record<string, string> = {}
  const requests = limitLeft(states, 'requests')
  if (requests) {
    headers[RESPONSE_HEADERS.anthropicRequestsLimit] = String(requests.limit)
    headers[RESPONSE_HEADERS.anthropicRequestsRemaining] = String(requests.remaining)
    headers[RESPONSE_HEADERS.anthropicRequestsReset] = instant(requests.resetAt)
  }
  const tokens = limitLeft(states, 'tokens')
  if (tokens) {
    headers[RESPONSE_HEADERS.anthropicTokensLimit] = String(tokens.limit)
    headers[RESPONSE_HEADERS.anthropicTokensRemaining] = String(tokens.remaining)
    headers[RESPONSE_HEADERS.anthropicTokensReset] = instant(tokens.resetAt)
  }
  return headers
}
