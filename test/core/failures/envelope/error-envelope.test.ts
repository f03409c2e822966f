import { describe, expect, test } from 'vitest'
import { readErrorEnvelope } from '../../../../lambdas/core/failures/envelope/error-envelope.ts'

const read = (body: unknown, headers: Record<string, string> = {}) =>
  readErrorEnvelope(typeof body === 'string' ? body : JSON.stringify(body), headers)

describe('every envelope in use gives its message and its codes', () => {
  test.each<[string, unknown, string, string[]]>([
    ['OpenAI', { error: { message: 'm', type: 't', param: 'p', code: 'c' } }, 'm', ['c', 't']],
    ['a string as the error', { error: 'm' }, 'm', []],
    ['xAI: text and a sentence as the code', { error: 'm', code: 'A sentence' }, 'm', ['A sentence']],
    ['Cerebras: flat', { message: 'm', type: 't', param: 'p', code: 'c' }, 'm', ['c', 't']],
    [
      'Mistral: flat, named object',
      { object: 'error', message: 'm', type: 't', code: '1300' },
      'm',
      ['1300', 't'],
    ],
    ['Cohere: id and message', { id: 'x', message: 'm' }, 'm', []],
    [
      'Gemini: an array',
      [{ error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT' } }],
      'm',
      ['INVALID_ARGUMENT'],
    ],
    [
      'Cloudflare: a list of errors',
      { errors: [{ message: 'm', code: 3040 }], success: false },
      'm',
      ['3040'],
    ],
    ['problem+json', { status: 400, title: 'Bad Request', detail: 'm' }, 'm', []],
    ['a detail string', { detail: 'm' }, 'm', []],
    ['a detail object', { detail: { message: 'm' } }, 'm', []],
    ['a validation list', { detail: [{ loc: ['body', 'a', 0], msg: 'm', type: 't' }] }, 'a.0: m', ['t']],
    [
      'a message that is an object',
      { message: { detail: [{ loc: ['body', 'a'], msg: 'm', type: 't' }] } },
      'a: m',
      ['t'],
    ],
    ['Anthropic', { type: 'error', error: { type: 't', message: 'm' } }, 'm', ['t']],
    ['Bedrock with a capital', { Message: 'm' }, 'm', []],
    ['Pollinations', { success: false, error: { message: 'm', code: 'C' }, status: 402 }, 'm', ['C']],
    ['x402', { x402Version: 1, error: 'm', accepts: [] }, 'm', []],
    ['Apigee', { fault: { faultstring: 'm', detail: { errorcode: 'a.b' } } }, 'm', ['a.b']],
    ['Groq in a stream', { x_groq: { error: { message: 'm', type: 't' } }, choices: [] }, 'm', ['t']],
    [
      'an error in a choice',
      { choices: [{ finish_reason: 'error', error: { code: 502, message: 'm' } }] },
      'm',
      [],
    ],
    [
      'Azure with an inner error',
      { error: { message: 'm', code: 'c', innererror: { code: 'I' } } },
      'm',
      ['c', 'I'],
    ],
    ['events', 'event: error\ndata: {"error":{"message":"m","type":"t"}}\n\n', 'm', ['t']],
    [
      'an HTML page',
      '<!doctype html><html><head><title> 502 Bad\n Gateway </title></head></html>',
      '502 Bad Gateway',
      [],
    ],
    ['plain text', 'error code: 1010\n', 'error code: 1010', []],
    ['a JSON string', '"Unauthorized"', 'Unauthorized', []],
    ['nothing', '', '', []],
    ['JSON that was cut', '{"error":{"message":"m","type":"t","deta', 'm', ['t']],
  ])('%s', (_title, body, message, codes) => {
    const envelope = read(body)
    expect(envelope.message).toBe(message)
    expect(envelope.codes).toEqual(codes)
  })
})

test('a message that is itself a JSON document of the same status is the error', () => {
  const inside = JSON.stringify({ error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } })
  const envelope = read({ error: { message: inside, code: 429, status: 'Too Many Requests' } })
  expect(envelope.message).toBe('m')
  expect(envelope.codes).toContain('RESOURCE_EXHAUSTED')
})

test('a quoted error of another status is kept apart', () => {
  const envelope = read({
    error: { message: 'Upstream returned 402: {"detail":{"message":"inner"}}', code: 'c' },
  })
  expect(envelope.message).toBe('Upstream returned 402:')
  expect(envelope.inner).toBe('inner')
})

test('what a relay keeps as raw text is quoted text', () => {
  const envelope = read({
    error: { message: 'Provider returned error', code: 429, metadata: { raw: 'busy upstream' } },
  })
  expect(envelope.inner).toBe('busy upstream')
})

test('the error type of Bedrock is read from its header and cut at the address', () => {
  const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' }
  expect(read({ message: 'm' }, headers).codes).toEqual(['ThrottlingException'])
})

test('a status claimed in the body is told apart from a code', () => {
  expect(read({ error: { message: 'm', code: 503 } }).status).toBe(503)
  expect(read({ error: { message: 'm', code: '1302' } }).status).toBeNull()
})

test('a completion with a null error carries no error', () => {
  expect(read({ error: null, choices: [] }).hasError).toBe(false)
})
