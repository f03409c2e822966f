import { expect, it, test } from 'vitest'
import { ERROR_CODES } from '../../../lambdas/core/routing/error-codes.ts'

const rows = Object.entries(ERROR_CODES).map(([code, { status, type }]) => ({ code, status, type }))

test.each(rows)('$code is an error status', ({ status }) => {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
})

// Official clients choose the exception they raise by status, people by type: both must say the same.
test.each(rows)('$code says the same by status and by type', ({ status, type }) => {
  const clientsFault = new Set([400, 404, 413, 415])
  expect(type === 'invalid_request_error').toBe(clientsFault.has(status))
  expect(type === 'authentication_error').toBe(status === 401)
  expect(type === 'rate_limit_error' || type === 'insufficient_quota').toBe(status === 429)
  expect(type === 'timeout_error').toBe(status === 504)
})

it('every code has the status that clients are promised', () => {
  const statuses = Object.fromEntries(rows.map(({ code, status }) => [code, status]))
  expect(statuses).toMatchObject({
    context_length_exceeded: 400,
    no_capable_endpoint: 400,
    content_filter: 400,
    invalid_api_key: 401,
    model_not_found: 404,
    model_gone: 404,
    unknown_route: 404,
    payload_too_large: 413,
    rate_limit_exceeded: 429,
    quota_exhausted: 429,
    upstream_failed: 502,
    no_provider_key: 503,
    all_quarantined: 503,
    no_endpoint_available: 503,
    upstream_timeout: 504,
  })
})
