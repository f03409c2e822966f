import { describe, expect, it, test } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../../../lambdas/core/routing/error-codes.ts'
import { openAiErrorReply } from '../../../lambdas/http/replies/openai-error.ts'
import type { Reply } from '../../../lambdas/http/replies/reply.ts'
import { attemptRecord, rateLimit, timeout } from '../../core/build.ts'

const bodyOf = ({ body }: Reply): unknown => JSON.parse(typeof body === 'string' ? body : '{}')

describe('an error', () => {
  it("has OpenAI's shape, and the attempts that were made", () => {
    const trail = [attemptRecord('a/one', rateLimit()), attemptRecord('b/two', timeout())]
    const reply = openAiErrorReply({ code: 'upstream_timeout', message: 'Too slow.' }, trail)
    expect(bodyOf(reply)).toEqual({
      error: {
        message: 'Too slow.',
        type: 'timeout_error',
        param: null,
        code: 'upstream_timeout',
        attempts: [
          { endpoint: 'a/one', kind: 'rate_limit', status: 429, ms: 10 },
          { endpoint: 'b/two', kind: 'timeout', status: null, ms: 10 },
        ],
      },
    })
  })

  it('names the field at fault where there is one', () => {
    const reply = openAiErrorReply({ code: 'invalid_request', message: 'No.', param: 'messages' })
    expect(bodyOf(reply)).toMatchObject({ error: { param: 'messages', attempts: [] } })
  })

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s has the status of the table', code => {
    expect(openAiErrorReply({ code, message: 'No.' }).status).toBe(ERROR_CODES[code].status)
  })
})
