import { describeSkip } from './describe-skip.ts'
import type { ErrorCode, FinalError } from './error-codes.ts'
import type { Failure } from '../failures/failure.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { GiveUpReason } from './next-step.ts'
import { INCAPABLE_REASONS, type Skipped } from './plan.ts'
import { sentence } from '../sentence.ts'
import type { AttemptRecord, Trail } from './trail.ts'
import { isLimit, isRateOrQuota } from './when-nothing-left.ts'

export type Ending = {
  alias: string
  trail: Trail
  skipped: readonly Skipped[]
  reason: GiveUpReason
  now: number
}

const UNSTATED_LIMIT_MS = 60_000
const UNSTATED_TROUBLE_MS = 30_000
const MAX_REASON_LENGTH = 300

const isModelGone = ({ kind }: Failure): boolean => kind === 'model_not_found' || kind === 'model_unavailable'
const isCapability = ({ kind }: Failure): boolean => kind.startsWith('unsupported_')
const notForThisRequest: ReadonlySet<string> = new Set([...INCAPABLE_REASONS, 'no_key'])

const FAULT_CODES = {
  content_filter: 'content_filter',
  context_length: 'context_length_exceeded',
  payload_too_large: 'payload_too_large',
} as const satisfies Partial<Record<FailureKind, ErrorCode>>

const hasFaultCode = (kind: FailureKind): kind is keyof typeof FAULT_CODES => Object.hasOwn(FAULT_CODES, kind)

/** What the client is told where a failure says that the request is at fault; null where it says nothing of it. */
function faultCode({ kind, scope, tryNext }: Failure): ErrorCode | null {
  if (hasFaultCode(kind)) return FAULT_CODES[kind]
  return scope === 'request' || kind === 'bad_request' || !tryNext ? 'rejected_by_upstream' : null
}

/** Skipped endpoints that could serve this request at another time. */
const unavailableOf = (skipped: readonly Skipped[]): readonly Skipped[] =>
  skipped.filter(({ reason }) => !notForThisRequest.has(reason))

/**
 * The client's own request was at fault: no wait and no other endpoint would help. While an endpoint that might
 * serve the request is only unavailable for a time, the refusal of a weaker one is no answer; that of the first one is.
 */
function requestFault({ trail, skipped }: Ending): { code: ErrorCode; failure: Failure } | null {
  const failures = trail.flatMap(({ failure }) => failure ?? [])
  const unavailable = unavailableOf(skipped)
  const isPrimary = unavailable.every(({ tier }) => (trail[0]?.tier ?? 0) < tier)
  const mayReturn = unavailable.length > 0 || failures.some(failure => failure.class === 'retryable')
  const telling = mayReturn ? failures.slice(0, isPrimary ? 1 : 0) : failures
  for (const failure of [...failures.filter(({ tryNext }) => !tryNext), ...telling]) {
    const code = faultCode(failure)
    if (code !== null) return { code, failure }
  }
  const last = failures.at(-1)
  if (last === undefined || unavailable.length > 0 || !failures.every(isCapability)) return null
  return { code: 'no_capable_endpoint', failure: last }
}

/** By the failures alone: who is at fault where the request is not. */
export function codeWithoutFault(failures: readonly Failure[], { skipped, reason }: Ending): ErrorCode {
  const unavailable = unavailableOf(skipped)
  // Who found fault with the request is no reason why it may be served later.
  const others = failures.filter(failure => faultCode(failure) === null)
  if (others.every(({ kind }) => isRateOrQuota(kind)) && unavailable.every(isLimit)) {
    const spent = others.length > 0 && others.every(failure => failure.class === 'non_retryable')
    return spent ? 'quota_exhausted' : 'rate_limit_exceeded'
  }
  if (reason === 'deadline' || failures.some(({ kind }) => kind === 'timeout')) return 'upstream_timeout'
  // Where attempts ran out, endpoints that were not called may still have the model.
  const isEverywhere = reason === 'exhausted' && unavailable.length === 0
  return isEverywhere && failures.every(isModelGone) ? 'model_gone' : 'upstream_failed'
}

/** What each endpoint and key said last: a retry's answer replaces the one it followed. */
function lastWords(trail: Trail): readonly Failure[] {
  const latest = new Map(trail.map(({ endpoint, key, failure }) => [`${endpoint.id} ${key}`, failure]))
  return [...latest.values()].flatMap(failure => failure ?? [])
}

/** The soonest moment at which anything of the chain may answer again, in milliseconds; null = never by waiting. */
export function retryAfter({ trail, skipped, now }: Ending): number | null {
  const waits = lastWords(trail).flatMap(failure => {
    if (failure.class !== 'retryable') return []
    const unstated = isRateOrQuota(failure.kind) ? UNSTATED_LIMIT_MS : UNSTATED_TROUBLE_MS
    return [failure.retryAfterMs ?? unstated]
  })
  const returns = skipped.flatMap(({ until, lastResortAt }) =>
    until === null ? [] : [Math.max(0, Math.min(until, lastResortAt ?? until) - now)],
  )
  const soonest = Math.min(...waits, ...returns)
  return Number.isFinite(soonest) ? soonest : null
}

/** One hop for people: `openai/gpt-4o: rate_limit (429) Rate limit reached…`. */
export function describeHop({ endpoint, outcome, status, failure }: AttemptRecord): string {
  const text = failure?.message.slice(0, MAX_REASON_LENGTH) ?? ''
  return `${endpoint.name}: ${outcome}${status === null ? '' : ` (${status})`}${text ? ` ${text}` : ''}`
}

/**
 * What the client is told when every attempt failed. The most telling failure decides: the request's own fault,
 * then rate and quota where nothing else was in the way, then timeouts, then the rest; each hop's reason is named.
 */
export function finalErrorOf(ending: Ending): FinalError {
  const { alias, trail, skipped, now } = ending
  const failures = trail.flatMap(({ failure }) => failure ?? [])
  const fault = requestFault(ending)
  const hops = trail.map(describeHop).join('; ')
  if (fault) {
    const message = `The request cannot be served as it is: ${sentence(fault.failure.message)} Called: ${hops}`
    return { code: fault.code, message, retryAfterMs: null }
  }
  const left = skipped.map(skip => describeSkip(skip, now)).join('; ')
  const message = `No endpoint of '${alias}' answered. ${left ? `${sentence(hops)} Skipped: ${left}` : hops}`
  const code = codeWithoutFault(failures, ending)
  return { code, message, retryAfterMs: code === 'model_gone' ? null : retryAfter(ending) }
}
