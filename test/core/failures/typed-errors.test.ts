import { describe, expect, it, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { classify } from '../../../lambdas/providers/classify.ts'

/** Words that say nothing: only the type can tell what happened. */
const MESSAGE = 'Something is not as it should be.'

const inside200 = (type: string, inStream: boolean): Failure =>
  classify({
    provider: 'mine',
    status: 200,
    headers: {},
    body: JSON.stringify({ error: { message: MESSAGE, type, code: null } }),
    networkError: null,
    inStream,
    now: 0,
  })

describe('an error inside a 200 is what its type says', () => {
  const rows: [string, Failure['kind']][] = [
    ['invalid_request_error', 'bad_request'],
    ['authentication_error', 'auth'],
    ['permission_error', 'permission'],
    ['not_found_error', 'bad_request'],
    ['request_too_large', 'payload_too_large'],
    ['rate_limit_error', 'rate_limit'],
    ['rate_limit_exceeded', 'rate_limit'],
    ['insufficient_quota', 'quota_exhausted'],
    ['too_many_requests_error', 'rate_limit'],
    ['timeout_error', 'timeout'],
    ['overloaded_error', 'overloaded'],
  ]
  test.each(rows)('%s is %s, streamed or not', (type, kind) => {
    expect([inside200(type, true).kind, inside200(type, false).kind]).toEqual([kind, kind])
  })

  it('and a server error where its type is unknown', () => {
    expect(inside200('some_error', true).kind).toBe('server_error')
  })
})
