import type { AtFault } from '../request-completed.ts'

type ErrorRow = { status: number; type: string; atFault: AtFault }

const row = (status: number, type: string): ErrorRow => ({ status, type, atFault: 'gateway' })
const chosen = (status: number, type: string): ErrorRow => ({ status, type, atFault: 'client' })
const invalid = (status: number): ErrorRow => chosen(status, 'invalid_request_error')

/** Every error code that a client can meet, its HTTP status, OpenAI's error type, and who is at fault: the only such table. */
export const ERROR_CODES = {
  invalid_json: invalid(400),
  invalid_request: invalid(400),
  invalid_header: invalid(400),
  nested_too_deeply: invalid(400),
  no_capable_endpoint: invalid(400),
  context_length_exceeded: invalid(400),
  content_filter: invalid(400),
  rejected_by_upstream: invalid(400),
  invalid_api_key: chosen(401, 'authentication_error'),
  model_not_allowed: chosen(403, 'permission_error'),
  model_not_found: invalid(404),
  model_gone: row(404, 'invalid_request_error'),
  unknown_route: invalid(404),
  payload_too_large: invalid(413),
  unsupported_content_type: invalid(415),
  rate_limit_exceeded: row(429, 'rate_limit_error'),
  quota_exhausted: row(429, 'insufficient_quota'),
  client_limit_reached: chosen(429, 'rate_limit_error'),
  client_budget_spent: chosen(429, 'insufficient_quota'),
  tool_round_limited: chosen(429, 'rate_limit_error'),
  client_left: chosen(499, 'client_error'),
  internal_error: row(500, 'server_error'),
  upstream_failed: row(502, 'upstream_error'),
  stream_cut: row(502, 'upstream_error'),
  tool_round_failed: chosen(502, 'upstream_error'),
  keys_unavailable: row(503, 'service_unavailable_error'),
  no_provider_key: row(503, 'service_unavailable_error'),
  all_quarantined: row(503, 'service_unavailable_error'),
  no_endpoint_available: row(503, 'service_unavailable_error'),
  gateway_stopped: row(503, 'service_unavailable_error'),
  retry_budget_exhausted: row(503, 'service_unavailable_error'),
  upstream_timeout: row(504, 'timeout_error'),
  tool_round_timeout: chosen(504, 'timeout_error'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERROR_CODES

/** An error as a client is told it, before it has the shape of any API. */
export type ClientError = {
  code: ErrorCode
  message: string
  /** The field or header at fault. */
  param?: string | null
  /** The largest context window, in tokens, where none was large enough; null = nobody has named one. */
  window?: number | null
}

/** What a client is told when nothing answered. */
export type FinalError = ClientError & {
  /** Providers of which one needs a key, where that is the reason. */
  keylessProviders?: readonly string[]
  /** Milliseconds until another request may help; null = waiting does not help. */
  retryAfterMs: number | null
}
