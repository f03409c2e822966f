/** What to do with this target after one sample: the vocabulary of every decision that follows a failure. */
export const FAILURE_CLASSES = ['retryable', 'non_retryable', 'degradable', 'fatal'] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

export const FAILURE_KINDS = [
  'rate_limit',
  'quota_exhausted',
  'site_capacity',
  'overloaded',
  'timeout',
  'network',
  'tls',
  'dns',
  'model_not_found',
  'model_unavailable',
  'auth',
  'permission',
  'bad_request',
  'context_length',
  'unsupported_tools',
  'unsupported_param',
  'unsupported_modality',
  'content_filter',
  'payload_too_large',
  'server_error',
  'loading',
  'malformed_response',
] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** Who is to blame: the client's payload, the key, this model at this provider, this host, or all of the provider. */
export type FailureScope = 'request' | 'key' | 'model' | 'endpoint' | 'provider'

/** Why one attempt failed. Pure data: it never encodes whether a stream had been committed. */
export type Failure = {
  class: FailureClass
  kind: FailureKind
  scope: FailureScope
  /** Proves the endpoint dead: only such failures may move its health. */
  structural: boolean
  /** How long the upstream asked us to wait, in milliseconds; null where it did not say. */
  retryAfterMs: number | null
  /** Could another endpoint serve the same request? */
  tryNext: boolean
  /** HTTP status of the upstream; null where no response came. */
  status: number | null
  /** The upstream's own error code or type, or the network cause code. */
  code: string | null
  /** The upstream's own words, redacted. */
  message: string
  /** The field that was refused as such, whatever its value, where the upstream named one. */
  refusedParam?: string
  /** The size of the window, in tokens, where a prompt was too long for it and the upstream said so. */
  statedWindow?: number
  /** It came through another Backstop, which has already retried and failed over for it. */
  relayed?: true
}
