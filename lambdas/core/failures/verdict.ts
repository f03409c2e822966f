import type { FailureClass, FailureKind, FailureScope } from './failure.ts'

/** The judging part of a Failure: everything in it that does not quote the upstream. */
export type Verdict = {
  readonly class: FailureClass
  readonly kind: FailureKind
  readonly scope: FailureScope
  readonly structural: boolean
  readonly tryNext: boolean
}

const USUAL: Readonly<Record<FailureKind, readonly [FailureClass, FailureScope]>> = {
  rate_limit: ['retryable', 'key'],
  quota_exhausted: ['retryable', 'key'],
  site_capacity: ['retryable', 'model'],
  overloaded: ['retryable', 'model'],
  timeout: ['retryable', 'endpoint'],
  network: ['retryable', 'endpoint'],
  tls: ['fatal', 'endpoint'],
  dns: ['fatal', 'endpoint'],
  model_not_found: ['fatal', 'model'],
  model_unavailable: ['fatal', 'model'],
  auth: ['non_retryable', 'key'],
  permission: ['non_retryable', 'model'],
  bad_request: ['non_retryable', 'request'],
  context_length: ['degradable', 'request'],
  unsupported_tools: ['degradable', 'model'],
  unsupported_param: ['degradable', 'provider'],
  unsupported_modality: ['degradable', 'model'],
  content_filter: ['non_retryable', 'request'],
  payload_too_large: ['degradable', 'request'],
  server_error: ['retryable', 'provider'],
  loading: ['retryable', 'model'],
  malformed_response: ['retryable', 'endpoint'],
}

/**
 * The usual verdict for a kind of failure, with deviations. Fatal means structural unless said otherwise, and
 * only the client's own broken request keeps other endpoints from being tried.
 */
export function verdict(kind: FailureKind, changes: Partial<Omit<Verdict, 'kind'>> = {}): Verdict {
  const [usualClass, usualScope] = USUAL[kind]
  const failureClass = changes.class ?? usualClass
  return {
    class: failureClass,
    kind,
    scope: changes.scope ?? usualScope,
    structural: changes.structural ?? failureClass === 'fatal',
    tryNext: changes.tryNext ?? kind !== 'bad_request',
  }
}

/** Quota that no waiting brings back: somebody has to pay, or to raise a limit. */
export const MONEY_WALL: Verdict = verdict('quota_exhausted', { class: 'non_retryable' })
