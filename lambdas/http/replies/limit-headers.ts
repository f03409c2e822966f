import { RESPONSE_HEADERS } from '../../contract.ts'
import { CLIENT_LIMITS } from '../../core/callers/client-limits.ts'
import type { LimitState } from '../../core/callers/limit-states.ts'

const SECOND_MS = 1_000

/** A span as OpenAI writes it: `250ms`, `1s`, `1m30s`, `24h0m0s`. */
export function formatReset(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.ceil(ms))}ms`
  const seconds = Math.ceil(ms / SECOND_MS)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const parts = [...(hours > 0 ? [`${hours}h`] : []), ...(hours + minutes > 0 ? [`${minutes}m`] : [])]
  return `${parts.join('')}${seconds % 60}s`
}

/** How much is left of what is counted, in the window that has the smallest share left. */
export type LimitLeft = { limit: number; remaining: number; resetAt: number }

/** What headers tell of the requests or the tokens that a caller has left; null where they are not limited. */
export function limitLeft(states: readonly LimitState[], counts: 'requests' | 'tokens'): LimitLeft | null {
  const left = states.flatMap(({ name, limit, used, resetAt }) =>
    name === 'concurrency' || resetAt === null || CLIENT_LIMITS[name].counts !== counts
      ? []
      : [{ limit, remaining: Math.max(0, Math.floor(limit - used)), resetAt }],
  )
  const [tightest = null] = left.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit)
  return tightest
}

type OwnHeaders = { limitHeaders?(states: readonly LimitState[]): Record<string, string> }

/** The headers by which clients pace themselves: OpenAI's, and those of the client's own API. */
export function limitHeaders(
  states: readonly LimitState[],
  surface: OwnHeaders,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = { ...surface.limitHeaders?.(states) }
  const requests = limitLeft(states, 'requests')
  if (requests) {
    headers[RESPONSE_HEADERS.limitRequests] = String(requests.limit)
    headers[RESPONSE_HEADERS.remainingRequests] = String(requests.remaining)
    headers[RESPONSE_HEADERS.resetRequests] = formatReset(requests.resetAt - now)
  }
  const tokens = limitLeft(states, 'tokens')
  if (tokens) {
    headers[RESPONSE_HEADERS.limitTokens] = String(tokens.limit)
    headers[RESPONSE_HEADERS.remainingTokens] = String(tokens.remaining)
    headers[RESPONSE_HEADERS.resetTokens] = formatReset(tokens.resetAt - now)
  }
  return headers
}
