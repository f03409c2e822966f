import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../../lambdas/core/failures/kinds.ts'
import { classify } from '../../../lambdas/providers/classify.ts'

const judge = (status: number, error: object | string) =>
  classify({
    provider: 'mine',
    status,
    headers: {},
    body: JSON.stringify({ error }),
    networkError: null,
    inStream: false,
    now: 0,
  })

describe('a code of money on a 429', () => {
  test.each<[string, FailureKind]>([
    ['The load of this group is saturated, please try again later', 'overloaded'],
    ['All channels are at full capacity', 'site_capacity'],
    ['Limited to 20 requests per minute', 'rate_limit'],
  ])('empties no account whose words speak of something that passes: %s', (message, kind) => {
    expect(judge(429, { message, code: 'insufficient_quota' })).toMatchObject({ kind, class: 'retryable' })
  })

  test.each([
    'You exceeded your current quota, please check your plan.',
    'Due to high demand, requests need a balance. Your balance is too low.',
    'See the documentation.',
  ])('does where they do not: %s', message => {
    expect(judge(429, { message, code: 'insufficient_quota' })).toMatchObject({
      kind: 'quota_exhausted',
      class: 'non_retryable',
      scope: 'key',
    })
  })
})

describe('a 401', () => {
  test.each([
    'Model house-large is not supported',
    'The model `house-large` does not exist',
    'Unknown model: house-large',
    'key not allowed to access model. It can call: house-small. Tried to call: house-large',
    'This key is not permitted to use the model house-large',
  ])('that speaks of a model alone bars that model, and proves nothing dead: %s', message => {
    expect(judge(401, { message, type: 'authentication_error' })).toMatchObject({
      kind: 'permission',
      scope: 'model',
      structural: false,
      tryNext: true,
    })
  })

  test.each([
    'Invalid API key',
    'User not found.',
    'The model `house-large` does not exist, or your key may not use it',
    'Model house-large is not supported for this account',
    'Deployment token not found',
  ])('that speaks of who calls bars the key: %s', message => {
    expect(judge(401, { message })).toMatchObject({ kind: 'auth', scope: 'key' })
  })
})

describe('a prompt that is refused for what it says', () => {
  test.each([
    { message: 'Sensitive words detected in the prompt', type: 'security_violation' },
    { message: 'The prompt contains sensitive words' },
    { message: 'Blocked.', code: 'sensitive_words_detected' },
    { message: '您的输入包含敏感词，请修改' },
  ])('is no refused permission, although a 403 says so: %j', error => {
    expect(judge(403, error)).toMatchObject({ kind: 'content_filter', scope: 'request' })
  })

  test.each(['This key may not read sensitive data', 'The model is case-sensitive: words matter'])(
    'is not everything that calls something sensitive: %s',
    message => {
      expect(judge(403, { message }).kind).toBe('permission')
    },
  )
})

describe('a prompt that is too long', () => {
  test.each([
    [400, { message: 'prompt token count of 131072 exceeds the limit of 128000', code: 'too_many' }],
    [400, { message: 'Rejected.', code: 'model_max_prompt_tokens_exceeded' }],
    [413, 'Validation: `inputs` must have less than 512 tokens. Given: 800'],
  ])('%i %j', (status, error) => {
    expect(judge(status, error)).toMatchObject({ kind: 'context_length', class: 'degradable' })
  })

  test.each([
    [429, 'Input token count per minute exceeds the limit of 40000', 'rate_limit'],
    [400, 'The stop sequence must have less than 4 tokens', 'bad_request'],
  ])('is none where another limit is met: %i %s', (status, message, kind) => {
    expect(judge(status, { message }).kind).toBe(kind)
  })
})
