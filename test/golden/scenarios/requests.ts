import { chatCompletion, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { says, STREAMED, type GoldenRequest, type Scenario } from '../scenario.ts'

const upstreams = { a: [chatCompletion('all well')] }
const get = (path: string, headers: Record<string, string> = {}): GoldenRequest => ({
  method: 'GET',
  path,
  headers,
})

/** What is answered without an upstream, or before one. */
export const REQUESTS: readonly Scenario[] = [
  {
    name: 'an unknown model',
    upstreams,
    steps: [{ chat: { model: 'chta' } }, { chat: { model: 'something/else', stream: true } }],
  },
  {
    name: 'a direct model',
    upstreams,
    settings: { direct_models: true },
    steps: [{ chat: { model: 'a/another-model' } }, { chat: { model: 'nobody/m' } }],
  },
  {
    name: 'unknown routes',
    upstreams,
    steps: [
      get('/v1/nothing'),
      get('/v1/chat/completions'),
      { path: '/v1/embeddings' },
      { path: '/v1/responses' },
    ],
  },
  {
    name: 'bad JSON',
    upstreams,
    steps: [{ text: '{"model":' }, { text: '' }, { text: '[]' }, { text: `{"a":${'['.repeat(5_000)}` }],
  },
  {
    name: 'a wrong schema',
    upstreams,
    steps: [
      { chat: { messages: 'Hello?' } },
      { chat: { messages: [] } },
      { chat: { temperature: 'hot' } },
      { chat: { n: 0 } },
      { text: '{"messages":[{"role":"user","content":"Hello?"}]}' },
    ],
  },
  {
    name: 'bad headers',
    upstreams,
    steps: [
      { headers: { 'x-backstop-fallback': 'maybe' } },
      { headers: { 'x-backstop-buffer': 'yes' } },
      { headers: { 'x-backstop-retry-token-budget': 'a lot' } },
      { headers: { 'content-type': 'text/plain' } },
    ],
  },
  {
    name: 'client keys',
    upstreams,
    variables: { BACKSTOP_CLIENT_KEYS: 'client-key-one,client-key-two' },
    steps: [
      {},
      { headers: { authorization: 'Bearer wrong-key' } },
      { headers: { authorization: 'Bearer client-key-two' } },
      { headers: { 'x-api-key': 'client-key-one' } },
      get('/v1/models'),
      get('/healthz'),
    ],
  },
  {
    name: 'the models',
    upstreams,
    steps: [get('/v1/models'), get('/v1/models/chat'), get('/v1/models/chta')],
  },
  {
    name: 'the endpoints',
    upstreams: {
      a: [says(429, 'Rate limit reached', { headers: { 'retry-after': '300' } })],
      b: upstreams.a,
    },
    steps: [get('/v1/endpoints'), {}, get('/v1/endpoints')],
  },
  { name: 'the health check', upstreams, steps: [get('/healthz'), get('/healthz/')] },
  {
    name: 'a dry run',
    upstreams: { a: [chatStream(['never'])], b: [chatStream(['never'])] },
    tiers: [['a/m'], [{ endpoint: 'a/small', contextWindow: 1 }], ['b/m']],
    steps: [
      { headers: { 'x-backstop-dry-run': '1' } },
      { ...STREAMED, headers: { 'x-backstop-dry-run': 'true', 'x-backstop-fallback': 'off' } },
    ],
  },
  {
    name: 'no key for any provider',
    upstreams: {},
    tiers: [['groq/llama-3.1-8b-instant'], ['cerebras/llama-3.3-70b']],
    steps: [{}, { headers: { 'x-backstop-dry-run': '1' } }],
  },
]
