import { describe, expect, test } from 'vitest'
import { classify } from '../../../lambdas/providers/classify.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'

const classifyBody = (status: number, body: unknown, provider = 'mine'): Failure =>
  classify({
    provider,
    status,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
    networkError: null,
    inStream: false,
    now: 0,
  })
const said = (message: string, type: string | null = null) => ({ error: { message, type } })

describe('what only sounds like a dead model proves nothing', () => {
  test.each([
    [400, 'The parameter `functions` has been deprecated. Use `tools`.'],
    [400, 'Streaming for this model is not supported'],
    [400, 'logprobs with this model is not supported'],
    [400, 'Invalid model parameter: temperature must be positive'],
    [400, 'The tool `search` for this model does not exist'],
    [400, 'Model x/y is not available right now, please try again later'],
    [400, 'Image url not found: could not download image'],
    [400, 'Model setting seed not available'],
    [402, 'This model has been removed from the free tier'],
    [403, 'model_not_found: no permission for model gpt-9'],
    [404, 'Assistant not found'],
    [404, 'API key not found'],
    [429, 'The model `x` is no longer available on the free plan'],
    [500, 'model not found in cache'],
    [503, 'The model is currently unavailable'],
  ])('%i "%s"', (status, message) => {
    expect(classifyBody(status, said(message))).toMatchObject({
      structural: false,
      tryNext: expect.any(Boolean),
    })
  })
})

describe('a model that is said to be unavailable is, with a verb or without', () => {
  test.each([
    [404, 'model not available'],
    [400, 'Model not available.'],
    [404, 'Model x/y not available'],
    [400, 'Model is unavailable'],
    [404, 'The requested model is not available'],
  ])('%i "%s"', (status, message) => {
    for (const type of [null, 'invalid_request_error']) {
      expect(classifyBody(status, said(message, type))).toMatchObject({
        kind: 'model_unavailable',
        structural: true,
        tryNext: true,
      })
    }
  })
})

describe('a number or a word that is quoted decides nothing', () => {
  test.each([
    [400, 'Error 429 while validating field x', 'bad_request'],
    [400, 'size limit exceeded by 429 tokens', 'context_length'],
    [500, 'upstream responded with 429', 'server_error'],
    [500, 'HTTP error! status: 401', 'server_error'],
    [502, 'Upstream: invalid api key', 'server_error'],
    [401, 'You have insufficient credits', 'auth'],
    [429, 'Request was rejected due to dynamic rate limit. Please retry.', 'rate_limit'],
  ])('%i "%s" is %s', (status, message, kind) => {
    expect(classifyBody(status, said(message, 'x')).kind).toBe(kind)
  })
})

describe('an error in a 200 that claims no status is judged by its words', () => {
  test.each([
    ['rate limit exceeded', 'rate_limit', 'retryable'],
    ['You are being rate limited, try again in 2s', 'rate_limit', 'retryable'],
    ['Insufficient balance, please recharge', 'quota_exhausted', 'non_retryable'],
    ['model "llama9" not found', 'model_not_found', 'fatal'],
    ['Upstream: invalid api key', 'server_error', 'retryable'],
    ['something went wrong', 'server_error', 'retryable'],
  ])('"%s" is %s', (error, kind, failureClass) => {
    expect(classifyBody(200, { error })).toMatchObject({ kind, class: failureClass })
  })

  test('an event called an error is one, in plain words too', () => {
    expect(classifyBody(200, 'event: error\ndata: Upstream exploded\n\n')).toMatchObject({
      kind: 'server_error',
      message: 'Upstream exploded',
    })
  })
})

describe('a finish by which a backend gives up is judged by its name', () => {
  test.each([
    ['error', 'server_error'],
    ['ERROR', 'server_error'],
    ['overloaded', 'overloaded'],
    ['unavailable', 'overloaded'],
    ['timeout', 'timeout'],
    ['malformed_function_call', 'malformed_response'],
  ])('%s is %s', (finish, kind) => {
    const answer = { choices: [{ index: 0, message: { content: '' }, finish_reason: finish }] }
    expect(classifyBody(200, answer)).toMatchObject({ kind, class: 'retryable', scope: 'model' })
  })

  test.each([
    ['error', 'server_error'],
    ['network_error', 'server_error'],
    ['MALFORMED_FUNCTION_CALL', 'malformed_response'],
  ])('%s is %s, where only the host behind a relay says it', (native, kind) => {
    for (const fields of [
      { native_finish_reason: native },
      { provider_specific_fields: { native_finish_reason: native } },
    ]) {
      const ended = { index: 1, message: { content: 'Hel' }, finish_reason: 'stop', ...fields }
      const answer = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }, ended] }
      expect(classifyBody(200, answer)).toMatchObject({ kind, code: native, scope: 'model' })
    }
  })
})

describe('the same code means what its provider means by it', () => {
  test.each([
    ['openai', 429, 'insufficient_quota', 'quota_exhausted', 'non_retryable'],
    ['dashscope', 429, 'insufficient_quota', 'rate_limit', 'retryable'],
    ['dashscope-intl', 429, 'insufficient_quota', 'rate_limit', 'retryable'],
    ['moonshot-cn', 429, 'exceeded_current_quota_error', 'quota_exhausted', 'non_retryable'],
    ['cloudflare', 429, '3040', 'site_capacity', 'retryable'],
    ['mistral', 404, '3040', 'model_not_found', 'fatal'],
    ['zai', 429, '1113', 'quota_exhausted', 'non_retryable'],
    ['mine', 429, '1113', 'rate_limit', 'retryable'],
  ])('%s %i with code %s is %s', (provider, status, code, kind, failureClass) => {
    expect(classifyBody(status, { error: { message: 'x', code } }, provider)).toMatchObject({
      kind,
      class: failureClass,
    })
  })
})

test('the client is told what failed, without the key that the upstream echoed', () => {
  const failure = classifyBody(401, said('Incorrect API key provided: sk-abcdefghijklmnop1234'))
  expect(failure.message).toBe('Incorrect API key provided: [key]')
})

test('an answer without words is described', () => {
  expect(classifyBody(500, '').message).toBe('HTTP 500 with an empty body')
  expect(classifyBody(200, '{"choices":[{"finish_reason":"network_error"}]}')).toMatchObject({
    code: 'network_error',
    message: 'HTTP 200 with an answer that finished as "network_error"',
  })
})

test('header names are read in any case', () => {
  const seen = { provider: 'mine', status: 429, body: '', networkError: null, inStream: false, now: 0 }
  expect(classify({ ...seen, headers: { 'Retry-After': '3' } }).retryAfterMs).toBe(3_000)
})
