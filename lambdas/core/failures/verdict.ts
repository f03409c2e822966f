import { KINDS, type FailureClass, type FailureKind, type FailureScope } from './kinds.ts'

/** The judging part of a Failure: everything in it that does not quote the upstream. */
export type Verdict = {
  readonly class: FailureClass
  readonly kind: FailureKind
  readonly scope: FailureScope
  readonly structural: boolean
  readonly tryNext: boolean
}

/**
 * The usual verdict for a kind of failure, with deviations. Fatal means structural unless said otherwise, and
 * another endpoint may serve the request unless said otherwise: a refusal of one host is not the request's fault.
 */
export function verdict(kind: FailureKind, changes: Partial<Omit<Verdict, 'kind'>> = {}): Verdict {
  const usual = KINDS[kind]
  const failureClass = changes.class ?? usual.class
  return {
    class: failureClass,
    kind,
    scope: changes.scope ?? usual.scope,
    structural: changes.structural ?? failureClass === 'fatal',
    tryNext: changes.tryNext ?? true,
  }
}

/** Every OpenAI-compatible host would find the same fault in the request. */
export const BROKEN_REQUEST: Verdict = verdict('bad_request', { tryNext: false })

/** The order of the turns: one host's rule, which other hosts do not know. */
export const TURN_ORDER: Verdict = verdict('bad_request', { class: 'degradable', scope: 'provider' })

/** Quota that no waiting brings back: somebody has to pay, or to raise a limit. */
export const MONEY_WALL: Verdict = verdict('quota_exhausted', { class: 'non_retryable' })
