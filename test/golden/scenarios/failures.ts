import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { chatChunk, chatCompletion, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { says, STREAMED, UPSTREAM_WORDS, type Scenario } from '../scenario.ts'

const healthy = chatStream(['all ', 'well'])
const HTML = { 'content-type': 'text/html' }
const LIMIT = { type: 'rate_limit_error' }
const SHORT = { first_output_timeout_ms: 300 }

/** The first endpoint does this, and the second one is well. */
const fallback = (name: string, answer: UpstreamAnswer, more: Partial<Scenario> = {}): Scenario => ({
  name: `falls back from ${name}`,
  upstreams: { a: [answer], b: [healthy] },
  ...more,
})

const streamFallback = (name: string, answer: UpstreamAnswer): Scenario =>
  fallback(`${name}, streamed`, answer, { steps: [STREAMED] })

UPSTREAM_WORDS.add('worker lost')
const inBand = 'data: {"error":{"message":"worker lost","code":500}}\n\n'

const keyed = (answers: UpstreamScript, more: Partial<Scenario> = {}): Scenario => ({
  name: 'a second key',
  upstreams: { a: answers, b: [healthy] },
  variables: { A_API_KEY: 'sk-dead-key-1111,sk-good-key-2222' },
  ...more,
})
const isGood = (authorization: string | undefined): boolean => authorization === 'Bearer sk-good-key-2222'

/** What one endpoint does wrong, and who answers instead. */
export const FAILURES: readonly Scenario[] = [
  fallback('a 429 without a hint', says(429, 'Rate limit reached', LIMIT)),
  fallback(
    'a 429 with Retry-After',
    says(429, 'Rate limit reached', { ...LIMIT, headers: { 'retry-after': '300' } }),
  ),
  fallback(
    'a 429 with reset headers',
    says(429, 'Rate limit reached', {
      ...LIMIT,
      headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '5m0s' },
    }),
  ),
  fallback('a 429 with its wait in words', says(429, 'Rate limit reached. Please try again in 3m20s', LIMIT)),
  fallback(
    'a spent quota',
    says(429, 'You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' }),
  ),
  keyed(
    ({ headers }) =>
      isGood(headers.authorization)
        ? healthy
        : says(401, 'Incorrect API key provided', { code: 'invalid_api_key' }),
    { name: 'rotates from a refused key' },
  ),
  keyed([says(401, 'Incorrect API key provided', { code: 'invalid_api_key' })], {
    name: 'falls back where every key is refused',
  }),
  keyed(({ headers }) => (isGood(headers.authorization) ? healthy : says(402, 'Insufficient Balance')), {
    name: 'rotates from an empty account',
    steps: [{}, {}],
  }),
  keyed(({ headers }) => (isGood(headers.authorization) ? healthy : says(429, 'Rate limit reached', LIMIT)), {
    name: 'rotates from a limited key',
    steps: [STREAMED, {}],
  }),
  fallback('a 402', says(402, 'Insufficient Balance')),
  fallback(
    'a 403 in JSON',
    says(403, 'You are not allowed to sample from this model', { type: 'permission_error' }),
  ),
  fallback('a 403 in HTML', {
    status: 403,
    headers: HTML,
    body: '<html><head><title>Just a moment...</title></head><body>Attention Required</body></html>',
  }),
  fallback(
    'a 404',
    says(404, "The model 'm' does not exist", { type: 'invalid_request_error', code: 'model_not_found' }),
  ),
  fallback('a 404 in HTML', {
    status: 404,
    headers: HTML,
    body: '<html><title>404 Not Found</title></html>',
  }),
  fallback('a 410', says(410, 'The model m has been decommissioned', { code: 'model_decommissioned' })),
  fallback('an unavailable model', says(400, 'Model is unavailable')),
  fallback('a 500', says(500, 'The server had an error while processing your request')),
  streamFallback('a 500', says(500, 'The server had an error while processing your request')),
  fallback('a 503', says(503, 'The server is overloaded')),
  fallback('a 503 of a gateway page', {
    status: 503,
    headers: HTML,
    body: '<h1>503 Service Unavailable</h1>',
  }),
  fallback('an edge that timed out', {
    status: 524,
    headers: HTML,
    body: '<title>524: A timeout occurred</title>',
  }),
  fallback(
    'a model that is loading',
    says(503, 'Model m is currently loading', { headers: { 'retry-after': '20' } }),
  ),
  fallback('silence before headers', { fault: 'no-response' }, { settings: SHORT }),
  fallback('silence after headers', { chunks: [], end: 'silence' }, { settings: SHORT, steps: [STREAMED] }),
  fallback('a reset', { fault: 'reset-before-headers' }),
  fallback('a closed connection', { fault: 'close-before-headers' }),
  fallback('headers that are cut', { fault: 'cut-headers' }),
  fallback('what is no HTTP', { fault: 'not-http' }),
  {
    name: 'falls back from a port that nothing listens on',
    upstreams: { a: 'closed', b: [healthy] },
    steps: [{}, STREAMED],
  },
  fallback('an empty completion', chatCompletion('')),
  streamFallback('an empty completion', chatStream([])),
  fallback('an empty body', { status: 200, body: '' }),
  fallback('broken JSON', {
    headers: { 'content-type': 'application/json' },
    body: '{"id":"x","choices":[{',
  }),
  fallback('a page with status 200', { headers: HTML, body: '<html><title>Welcome</title></html>' }),
  fallback('a truncated body', { ...chatCompletion('half of it'), end: 'destroy' }),
  fallback('a truncated stream', chatStream(['half ', 'of it'], { finish: null })),
  fallback('an error in a body with status 200', says(200, 'Upstream provider failed')),
  streamFallback('an error in band before output', { status: 200, chunks: [inBand] }),
  fallback('an error in band behind output, held', {
    status: 200,
    chunks: [sseEvent(chatChunk({ role: 'assistant', content: 'half' })), inBand],
  }),
  {
    name: 'is cut by an error in band behind output',
    upstreams: {
      a: [{ status: 200, chunks: [sseEvent(chatChunk({ role: 'assistant', content: 'half' })), inBand] }],
      b: [healthy],
    },
    steps: [STREAMED],
  },
  {
    name: 'is cut where a stream ends too soon',
    upstreams: { a: [chatStream(['half ', 'of it'], { finish: null })], b: [healthy] },
    steps: [STREAMED],
  },
  {
    name: 'is cut where a stream is reset',
    upstreams: { a: [{ ...chatStream(['half ', 'of it'], { finish: null }), end: 'reset' }], b: [healthy] },
    steps: [STREAMED],
  },
  {
    name: 'is cut where a stream stalls',
    upstreams: { a: [{ ...chatStream(['half'], { finish: null }), end: 'silence' }], b: [healthy] },
    settings: { idle_timeout_ms: 400 },
    steps: [STREAMED],
  },
  {
    name: 'is not spoilt by a complaint behind the finish',
    upstreams: {
      a: [
        {
          status: 200,
          chunks: [...(chatStream(['all well'], { usage: null }).chunks ?? []).slice(0, -1), inBand],
        },
      ],
    },
    steps: [STREAMED, {}],
  },
  {
    name: 'skips malformed events',
    upstreams: {
      a: [
        {
          status: 200,
          chunks: [
            sseEvent(chatChunk({ role: 'assistant', content: 'all ' })),
            'data: {"broken\n\n',
            sseEvent(chatChunk({ content: 'well' })),
            sseEvent(chatChunk({}, 'stop')),
            'data: [DONE]\n\n',
          ],
        },
      ],
      b: [healthy],
    },
    steps: [STREAMED],
  },
]
