import { describeSkip } from './describe-skip.ts'
import type { FinalError } from './error-codes.ts'
import { KINDS, type FailureKind } from '../failures/kinds.ts'
import { INCAPABLE_REASONS, type Skipped } from './plan.ts'

export type WhenNothingLeft = { kind: 'wait'; waitMs: number } | { kind: 'reject'; finalError: FinalError }

type EmptyPlan = {
  alias: string
  skipped: readonly Skipped[]
  now: number
  /** How long this request may still wait, in milliseconds. */
  patienceMs: number
}

const incapable: ReadonlySet<string> = new Set(INCAPABLE_REASONS)

/** Limits that come back by themselves and say nothing about the endpoint. */
export const isRateOrQuota = (kind: FailureKind | null): boolean =>
  kind !== null && KINDS[kind].ownLimit === 'quota'

/** Nothing but our own limit there keeps a request away. */
export const isLimit = ({ reason, cause }: Skipped): boolean =>
  reason === 'quota' || (reason === 'cooldown' && isRateOrQuota(cause))

/** Reasons that end by themselves. */
const RETURNS: ReadonlySet<string> = new Set<Skipped['reason']>(['cooldown', 'quota'])

function rejectIncapable({ alias, skipped, now }: EmptyPlan): FinalError {
  const isState = skipped.every(({ reason }) => reason === 'no_state')
  const advice = isState ? ' Send the whole conversation instead, with "store": false.' : ''
  const tooLong = skipped.every(({ reason }) => reason === 'context_too_small')
  const listed = skipped.map(skip => describeSkip(skip, now)).join('; ')
  const window = Math.max(...skipped.map(({ endpoint }) => endpoint.contextWindow ?? 0)) || null
  return {
    code: tooLong ? 'context_length_exceeded' : 'no_capable_endpoint',
    message: tooLong
      ? `The prompt is longer than the context window of every endpoint of '${alias}': ${listed}.`
      : `No endpoint of '${alias}' can do what this request needs: ${listed}.${advice}`,
    retryAfterMs: null,
    ...(tooLong ? { window } : {}),
  }
}

function rejectWithoutKeys({ alias }: EmptyPlan, keyless: readonly Skipped[]): FinalError {
  const providers = [...new Set(keyless.map(({ endpoint }) => endpoint.provider))]
  return {
    code: 'no_provider_key',
    message: `No provider of '${alias}' has a key.`,
    keylessProviders: providers,
    retryAfterMs: null,
  }
}

/** When something may be called there, if only as the last resort. */
const returnOf = ({ until, lastResortAt }: Skipped): number =>
  Math.min(until ?? Infinity, lastResortAt ?? Infinity)

/**
 * A plan without candidates: wait for the soonest stated return where it fits the request's patience, else reject with the
 * reason that a client can act on. Endpoints that lack a capability or a key are no part of the error while
 * others are only unavailable for a time.
 */
export function whenNothingLeft(plan: EmptyPlan): WhenNothingLeft {
  const { alias, skipped, now, patienceMs } = plan
  const capable = skipped.filter(({ reason }) => !incapable.has(reason))
  if (capable.length === 0) return { kind: 'reject', finalError: rejectIncapable(plan) }
  const unavailable = capable.filter(({ reason }) => reason !== 'no_key')
  if (unavailable.length === 0) return { kind: 'reject', finalError: rejectWithoutKeys(plan, capable) }

  const returns = unavailable.flatMap(skip => (skip.until === null ? [] : [returnOf(skip) - now]))
  const soonestMs = returns.length > 0 ? Math.max(0, Math.min(...returns)) : null
  // Only what was stated is worth waiting for: nobody waits for a trial of somebody else, or for a probe.
  const stated = unavailable.flatMap(({ reason, until, lastResortAt }) =>
    until === null || !RETURNS.has(reason) || lastResortAt !== undefined ? [] : [Math.max(0, until - now)],
  )
  const shortest = Math.min(...stated)
  if (shortest <= patienceMs) return { kind: 'wait', waitMs: shortest }

  const isAllQuarantined = unavailable.every(({ reason }) => reason === 'quarantined')
  const listed = unavailable.map(skip => describeSkip(skip, now)).join('; ')
  const limited = unavailable.every(isLimit)
  const code = limited
    ? 'rate_limit_exceeded'
    : isAllQuarantined
      ? 'all_quarantined'
      : 'no_endpoint_available'
  const message = `No endpoint of '${alias}' is available now: ${listed}.`
  return { kind: 'reject', finalError: { code, message, retryAfterMs: soonestMs } }
}
