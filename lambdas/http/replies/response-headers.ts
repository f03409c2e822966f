import { RESPONSE_HEADERS } from '../../contract.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import { formatDollars } from '../../core/format-dollars.ts'
import { secondsUntil } from '../../core/routing/describe-skip.ts'
import type { Plan } from '../../core/routing/plan.ts'
import type { AttemptRecord, Trail } from '../../core/routing/trail.ts'
import type { WholeAnswer } from '../../engine/request/outcome.ts'
import { headerList, headerValue } from './header-value.ts'

type Route = { plan: Plan; trail: Trail; served: AttemptRecord | null; now: number }

const hop = ({ endpoint, outcome, status, durationMs }: AttemptRecord): string =>
  [endpoint.name, outcome, status ?? '', durationMs].join(';')

/** Only where the fleet is degraded. */
export const modeHeader = (degraded: boolean): Record<string, string> =>
  degraded ? { [RESPONSE_HEADERS.mode]: 'degraded' } : {}

/** The headers that tell which way a chat request went; `x-backstop-chain` reads endpoint; outcome; status; ms. */
export function routeHeaders({ plan, trail, served, now }: Route): Record<string, string> {
  const headers: Record<string, string> = { [RESPONSE_HEADERS.attempts]: String(trail.length) }
  if (trail.length > 0) headers[RESPONSE_HEADERS.chain] = headerList(trail.map(hop), ' > ')
  if (served) {
    headers[RESPONSE_HEADERS.servedBy] = headerValue(served.endpoint.name)
    headers[RESPONSE_HEADERS.tier] = String(served.tier + 1)
  }
  if (plan.skipped.length > 0) {
    const skips = plan.skipped.map(({ endpoint, reason, until }) =>
      [endpoint.name, reason, secondsUntil(until, now) ?? ''].join(';'),
    )
    headers[RESPONSE_HEADERS.skipped] = headerList(skips, ', ')
  }
  return { ...headers, ...modeHeader(plan.degraded) }
}

type Translated = { request: Pick<ChatRequest, 'dropped'>; isNative: boolean }

/** What the translation of the client's request has left out; nothing where it left out nothing. */
export const droppedHeader = ({ request: { dropped }, isNative }: Translated): Record<string, string> =>
  dropped.length === 0 || isNative ? {} : { [RESPONSE_HEADERS.dropped]: headerList(dropped, ', ') }

/** What a whole answer cost, in dollars, where its upstream or the price tells. */
export const costHeader = ({ dollars }: Pick<WholeAnswer, 'dollars'>): Record<string, string> =>
  dollars === null ? {} : { [RESPONSE_HEADERS.cost]: formatDollars(dollars) }

const PROMPT_RETRY_SECONDS = 10

/**
 * `Retry-After` where waiting helps, and `x-should-retry: false` where the client's SDK must not retry by itself:
 * official SDKs otherwise sleep for hours, or hammer what has just been tried in vain.
 */
export function retryHeaders(retryAfterMs: number | null): Record<string, string> {
  const headers: Record<string, string> = {}
  const seconds = retryAfterMs === null ? null : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  if (seconds !== null) headers[RESPONSE_HEADERS.retryAfter] = String(seconds)
  if (seconds === null || seconds > PROMPT_RETRY_SECONDS) headers[RESPONSE_HEADERS.shouldRetry] = 'false'
  return headers
}
