import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Observation } from '../../../lambdas/core/failures/classify.ts'
import { classify } from '../../../lambdas/providers/classify.ts'
import { FAILURE_CLASSES, FAILURE_KINDS } from '../../../lambdas/core/failures/kinds.ts'
import { LONGEST_MONTHLY_WAIT_MS } from '../../../lambdas/core/failures/waits/retry-after.ts'

const SCOPES = ['request', 'key', 'model', 'endpoint', 'provider']
const PROVIDERS = [
  'openai',
  'gemini',
  'bedrock',
  'zai',
  'openrouter',
  'opencode-zen',
  'constructor',
  'mine',
  '',
]

const phrase = fc.constantFrom(
  'The model `x-1` does not exist',
  'has been decommissioned',
  'Insufficient balance',
  'Invalid API key',
  'Rate limit reached: Limit 5, Requested 9',
  'Please try again in 9m38.016s',
  'Model is unavailable.',
  '404 page not found',
  'Your limit will reset at 2031-01-01 00:00:00 next month',
  'maximum context length',
  '模型不存在',
)
const words = fc.oneof(
  phrase,
  fc.string({ unit: 'grapheme' }),
  fc.array(phrase).map(parts => parts.join(' ')),
)
const code = fc.oneof(
  fc.constantFrom('model_not_found', '1113', '3040', 'ModelError', 429, null),
  fc.string(),
)
const errorObject = fc.record(
  {
    message: fc.oneof(words, fc.jsonValue()),
    type: code,
    code,
    status: code,
    param: fc.jsonValue(),
    details: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const document = fc.oneof(
  errorObject,
  fc.record({ error: fc.oneof(errorObject, words, fc.jsonValue()) }),
  fc.array(fc.record({ error: errorObject }), { maxLength: 2 }),
  fc.record({ errors: fc.array(errorObject), success: fc.boolean() }),
  fc.record({ detail: fc.oneof(words, fc.jsonValue()) }),
  fc.record({
    choices: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ finish_reason: fc.string(), error: errorObject })),
    ),
  }),
  fc.jsonValue(),
)
const body = fc.oneof(
  fc.constant(null),
  words,
  document.map(value => JSON.stringify(value)),
  document.map(value => JSON.stringify(value).slice(0, -3)),
  document.map(value => `data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`),
  document.map(value => JSON.stringify({ error: { message: JSON.stringify(value), code: 429 } })),
  words.map(text => `<html><head><title>${text}</title></head></html>`),
)
const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'retry-after',
      'Retry-After-Ms',
      'x-ratelimit-reset',
      'x-ratelimit-remaining',
      'x-amzn-errortype',
    ),
    fc.string(),
  ),
  fc.oneof(fc.constantFrom('5, 10', '-1', 'soon', '1.5', '99999999999', '4h17m', '0'), fc.string()),
)
const status = fc.oneof(
  fc.constantFrom(200, 400, 401, 402, 403, 404, 410, 429, 500, 503, 529, 0),
  fc.integer(),
)
const observation: fc.Arbitrary<Observation> = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  status: fc.oneof(fc.constant(null), status),
  headers,
  body,
  networkError: fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: fc.string(), weight: 1 }),
  inStream: fc.boolean(),
  now: fc.integer({ min: 0, max: 4e12 }),
})

test('anything at all gives one well-formed failure', () => {
  fc.assert(
    fc.property(observation, seen => {
      const failure = classify(seen)
      expect(FAILURE_CLASSES).toContain(failure.class)
      expect(FAILURE_KINDS).toContain(failure.kind)
      expect(SCOPES).toContain(failure.scope)
      expect(failure.status).toBe(seen.status)
      expect(failure.message.length).toBeLessThanOrEqual(500)
      const wait = failure.retryAfterMs ?? 0
      expect(wait).toBeGreaterThanOrEqual(0)
      expect(wait).toBeLessThanOrEqual(LONGEST_MONTHLY_WAIT_MS)
    }),
    { numRuns: 2_000 },
  )
})

test('the same observation always gives the same failure', () => {
  fc.assert(
    fc.property(observation, seen => {
      expect(classify(seen)).toEqual(classify(seen))
    }),
  )
})

test('a failure is fatal exactly where it is structural', () => {
  fc.assert(
    fc.property(observation, seen => {
      const failure = classify(seen)
      expect(failure.class === 'fatal').toBe(failure.structural)
    }),
    { numRuns: 1_000 },
  )
})

test("a 401, 402, 403 or 429 proves nothing dead unless the provider's own table says so", () => {
  const refused = observation.map(seen => ({ ...seen, provider: 'mine', networkError: null }))
  fc.assert(
    fc.property(refused, fc.constantFrom(401, 402, 403, 429), (seen, status) => {
      expect(classify({ ...seen, status }).structural).toBe(false)
    }),
    { numRuns: 1_000 },
  )
})

test('a timeout, a limit or an overload is never structural', () => {
  fc.assert(
    fc.property(observation, seen => {
      const { kind, structural } = classify(seen)
      expect(
        structural && ['timeout', 'rate_limit', 'quota_exhausted', 'overloaded', 'loading'].includes(kind),
      ).toBe(false)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['one long line', 'a'.repeat(5_000_000)],
  ['open brackets', '['.repeat(2_000_000)],
  ['open tags', '<html>' + '<'.repeat(2_000_000)],
  ['the word model without end', JSON.stringify({ error: { message: 'model '.repeat(500_000) } })],
  ['quotes and backslashes', `{"message":"${'\\"'.repeat(1_000_000)}`],
  ['deep nesting', JSON.stringify({ error: '{"error":'.repeat(10_000) })],
  ['digits', JSON.stringify({ error: { message: `try again in ${'1'.repeat(500_000)}` } })],
  ['dots and dashes', JSON.stringify({ error: { message: 'a.-@'.repeat(100_000) } })],
])(
  'a huge body of %s is judged in bounded time',
  (_name, huge) => {
    for (const status of [200, 400, 404, 429, 500]) {
      const failure = classify({
        provider: 'mine',
        status,
        headers: {},
        body: huge,
        networkError: null,
        inStream: false,
        now: 0,
      })
      expect(failure.status).toBe(status)
    }
    // The bound is the test's own: catastrophic backtracking would take minutes.
  },
  30_000,
)

const BY_STATUS: readonly [number, readonly string[]][] = [
  [400, ['bad_request']],
  [401, ['auth']],
  [402, ['quota_exhausted']],
  [403, ['permission']],
  [404, ['model_not_found']],
  [408, ['timeout']],
  [413, ['payload_too_large', 'context_length']],
  [422, ['unsupported_param']],
  [429, ['rate_limit']],
  [500, ['server_error']],
  [502, ['server_error']],
  [503, ['overloaded', 'server_error']],
  [504, ['timeout']],
  [529, ['overloaded']],
]

test.each(BY_STATUS)(
  'a %i without words is what its status says, however it says nothing',
  (status, kinds) => {
    const wordless = fc.constantFrom('', '{}', '[]', 'null', '{"error":{}}', '{"error":{"message":""}}')
    fc.assert(
      fc.property(wordless, body => {
        const observed = {
          provider: 'anybody',
          status,
          headers: {},
          body,
          networkError: null,
          inStream: false,
          now: 0,
        }
        expect(kinds).toContain(classify(observed).kind)
      }),
    )
  },
)
