import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { streamOf } from '../../support/tool-calls.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { says, STREAMED, type Scenario } from '../scenario.ts'

const healthy = chatStream(['all ', 'well'])
const failing = says(500, 'The server had an error while processing your request')
const down = says(503, 'The server is overloaded')
const unavailable = says(400, 'Model is unavailable')
const limited = (headers: Record<string, string> = {}): HttpAnswer =>
  says(429, 'Rate limit reached', { type: 'rate_limit_error', headers })

const broken = (total: number): HttpAnswer => {
  const usage = { prompt_tokens: total, completion_tokens: 0, total_tokens: total }
  const chunks = [chatChunk({ content: 'half' }), { ...chatChunk({}), choices: [], usage }]
  return { status: 200, chunks: chunks.map(sseEvent) }
}

const callOf = (id: string) => ({ id, type: 'function', function: { name: 'send', arguments: '{}' } })
const roundOf = (ids: readonly string[]) => ({
  messages: [
    { role: 'user', content: 'Send it.' },
    { role: 'assistant', content: null, tool_calls: ids.map(callOf) },
    ...ids.map(id => ({ role: 'tool', tool_call_id: id, content: 'sent' })),
  ],
})
const toolStream = streamOf([
  chatChunk({ role: 'assistant', tool_calls: [{ index: 0, ...callOf('call_1') }] }),
  chatChunk({}, 'tool_calls'),
])
const SESSION = { 'x-backstop-session': 'order-4711' }

/** Further attempts, what forbids them, and what is said where none helped. */
export const RETRIES: readonly Scenario[] = [
  {
    name: 'a lone endpoint is asked again after a 500',
    upstreams: { a: [failing, healthy] },
    steps: [STREAMED],
  },
  {
    name: 'a short stated wait is waited',
    upstreams: { a: [limited({ 'retry-after-ms': '200' }), healthy] },
  },
  {
    name: 'a replica comes before a retry, and both before a lower tier',
    upstreams: { a: [failing], b: [down], c: [healthy] },
    tiers: [['a/m', 'b/m'], ['c/m']],
  },
  {
    name: 'fallback is off',
    upstreams: { a: [unavailable], b: [healthy] },
    steps: [{ headers: { 'x-backstop-fallback': 'off' } }],
  },
  {
    name: 'a stale socket is replaced unseen',
    upstreams: { a: [{ fault: 'reset-reused-socket', otherwise: healthy }] },
    steps: [{}, {}],
  },
  {
    name: 'a budget of no tokens',
    upstreams: { a: [down], b: [healthy] },
    steps: [{ headers: { 'x-backstop-retry-token-budget': '0' } }],
  },
  {
    name: 'a spent budget',
    upstreams: { a: [down], b: [broken(7_995)], c: [healthy] },
    steps: [{}, STREAMED],
  },
  {
    name: 'a budget of the owner',
    upstreams: { a: [down], b: [healthy] },
    settings: { retry_token_budget: 1 },
  },
  {
    name: 'too few attempts',
    upstreams: { a: [unavailable], b: [failing], c: [healthy] },
    settings: { retry_max_attempts: 2 },
    steps: [STREAMED],
  },
  {
    name: 'every endpoint is limited',
    upstreams: { a: [limited({ 'retry-after': '90' })], b: [limited({ 'retry-after': '40' })] },
    steps: [{}, {}],
  },
  {
    name: 'every quota is spent',
    upstreams: { a: [says(402, 'Insufficient Balance')], b: [says(402, 'Insufficient Balance')] },
  },
  { name: 'the model is gone everywhere', upstreams: { a: [unavailable], b: [unavailable] } },
  {
    name: 'the time runs out',
    upstreams: { a: [{ fault: 'no-response' }], b: [{ fault: 'no-response' }] },
    settings: { first_output_timeout_ms: 300, first_byte_deadline_ms: 900 },
    steps: [STREAMED],
  },
  {
    name: 'everything else fails',
    upstreams: { a: [{ status: 503, body: 'over' }], b: [{ fault: 'reset-before-headers' }], c: 'closed' },
  },
  {
    name: 'a tool round without a session',
    upstreams: { a: [toolStream, down], b: [healthy] },
    steps: [STREAMED, { chat: roundOf(['call_1']) }],
  },
  {
    name: 'a limited tool round without a session',
    upstreams: { a: [limited({ 'retry-after': '30' })], b: [healthy] },
    steps: [{ chat: { ...roundOf(['call_1']), stream: true } }],
  },
  {
    name: 'a silent tool round without a session',
    upstreams: { a: [{ fault: 'no-response' }], b: [healthy] },
    settings: { first_byte_deadline_ms: 400 },
    steps: [{ chat: roundOf(['call_1']) }],
  },
  {
    name: 'a tool round without a session, where its owner does not mind',
    upstreams: { a: [down], b: [healthy] },
    settings: { tool_retries: 'lenient' },
    steps: [{ chat: roundOf(['call_1']) }],
  },
  {
    name: 'tool rounds of a session',
    upstreams: { a: [toolStream, down], b: [healthy] },
    steps: [
      { ...STREAMED, headers: SESSION },
      { chat: roundOf(['call_1', 'call_2']), headers: SESSION },
      { chat: { ...roundOf(['call_3']), stream: true }, headers: { 'idempotency-key': 'order-4711' } },
    ],
  },
  {
    name: 'a tool round whose client says what has run',
    upstreams: { a: [down], b: [healthy] },
    steps: [{ chat: roundOf(['call_2']), headers: { 'x-backstop-completed-tool-calls': 'call_1' } }],
  },
  {
    name: 'a Backstop behind a Backstop answers',
    nested: true,
    upstreams: { a: [failing], b: [healthy] },
    steps: [STREAMED, {}],
  },
  {
    name: 'a Backstop behind a Backstop fails',
    nested: true,
    upstreams: { a: [failing], b: [down] },
    steps: [STREAMED, {}],
  },
  {
    name: 'a Backstop behind a Backstop is limited',
    nested: true,
    upstreams: { a: [limited({ 'retry-after': '40' })] },
    steps: [{}, {}],
  },
]
