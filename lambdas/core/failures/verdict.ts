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
 * only the client's own broken request keeps other endpoints from being tried.
 */
export function verdict(kind: FailureKind, changes: Partial<Omit<Verdict, 'kind'>> = {}): Verdict {
  const usual = KINDS[kind]
  const failureClass = changes.class ?? usual.class
  return {
    class: failureClass,
    kind,
    scope: changes.scope ?? usual.scope,
    structural: changes.structural ?? failureClass === 'fatal',
    tryNext: changes.tryNext ?? kind !== 'bad_request',
  }
}

/** Quota that no waiting brings back: somebody has to pay, or to raise a limit. */
export const MONEY_WALL: Verdict = verdict('quota_exhausted', { class: 'non_retryable' })
