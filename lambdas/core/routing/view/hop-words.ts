import type { FailureKind } from '../../failures/kinds.ts'
import { formatSpan } from '../../format-span.ts'
import type { SkipReason } from '../plan.ts'
import type { HopView, NextEvent } from './model-view.ts'

/** What an endpoint answered with, as the object of "after", and by itself. */
const CAUSES = {
  rate_limit: 'a rate limit',
  quota_exhausted: 'a spent quota',
  site_capacity: 'too little capacity',
  overloaded: 'overload',
  timeout: 'timeouts',
  network: 'network failures',
  tls: 'TLS failures',
  dns: 'a name that was not found',
  model_not_found: 'a missing model',
  model_unavailable: 'an unavailable model',
  auth: 'a refused key',
  permission: 'a refused permission',
  bad_request: 'bad requests',
  context_length: 'a prompt that was too long',
  unsupported_tools: 'refused tools',
  unsupported_param: 'a refused field',
  unsupported_modality: 'refused images',
  content_filter: 'a content filter',
  payload_too_large: 'a body that was too large',
  server_error: 'server errors',
  loading: 'a model that was loading',
  malformed_response: 'malformed answers',
} as const satisfies Record<FailureKind, string>

const afterCause = (cause: FailureKind | null): string => (cause === null ? '' : ` after ${CAUSES[cause]}`)

const inBrackets = (cause: FailureKind | null): string =>
  cause === null ? '' : ` (${CAUSES[cause].replace(/^an? /, '')})`

/** Why a request leaves an endpoint out, without when that ends. */
function skipWords(reason: SkipReason, cause: FailureKind | null): string {
  switch (reason) {
    case 'quarantined':
      return `quarantined${afterCause(cause)}`
    case 'breaker_open':
      return `provider paused${afterCause(cause)}`
    case 'cooldown':
      return `cooling down${afterCause(cause)}`
    case 'quota':
      return 'a known limit is spent'
    case 'no_key':
      return 'no key'
    case 'context_too_small':
      return 'its context window is smaller than a short request'
    default:
      return 'cannot serve a plain request'
  }
}

/** An operator's order, which is no failure. */
export const byHandWords = (reason: string): string =>
  `quarantined by hand${reason === '' ? '' : ` (${reason})`}`

type Told = Pick<HopView, 'reason' | 'cause' | 'test' | 'health' | 'by_hand'>

/**
 * How an endpoint is for a request, in a few words; when that ends is for the reader to say, whose clock runs on. Where
 * there is little room, the cause may be left out.
 */
export function hopWords(
  { reason, cause: known, test, health, by_hand: byHand }: Told,
  withCause = true,
): string {
  if (byHand !== undefined) return byHandWords(withCause ? byHand : '')
  const cause = withCause ? known : null
  if (reason !== null) return skipWords(reason, cause)
  if (test) return `its next call is a test${afterCause(cause)}`
  return health === 'suspect' ? `its last call failed${inBrackets(cause)}` : 'ready'
}

const SECOND = 1_000

const WHAT: Readonly<Record<NextEvent['what'], string>> = {
  probe: 'next probe',
  'breaker test': 'next test',
  cooldown: 'back',
  quota: 'back',
}

/** `next probe in 30 s`, `back in 18 s`, `next test now`. */
export function nextWords({ what, at }: Omit<NextEvent, 'endpoint'>, now: number): string {
  return `${WHAT[what]} ${at <= now ? 'now' : `in ${formatSpan(Math.max(SECOND, at - now))}`}`
}
