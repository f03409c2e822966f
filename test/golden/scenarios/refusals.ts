import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { chatChunk, chatCompletion, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { streamOf } from '../../support/tool-calls.ts'
import type { UpstreamRequest } from '../../support/upstreams/upstream-request.ts'
import { says, STREAMED, type Scenario } from '../scenario.ts'

type Body = UpstreamRequest['body']

const healthy = chatStream(['all ', 'well'])
const INVALID = { type: 'invalid_request_error' }

const picky =
  (words: string, refuses: (body: Body) => boolean): UpstreamScript =>
  ({ body }) =>
    refuses(body) ? says(400, words, INVALID) : healthy

const TOOLS = { tools: [{ type: 'function', function: { name: 'look', parameters: {} } }] }
const IMAGE = {
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/c.png' } }] },
  ],
}
const JSON_MODE = { response_format: { type: 'json_object' } }
const LONG = { messages: [{ role: 'user', content: 'word '.repeat(4_000) }] }
const hasImage = ({ messages }: Body): boolean => JSON.stringify(messages).includes('image_url')

/** Learnt with the first request, known with the second, and no matter for the third. */
const learnt = (name: string, script: UpstreamScript, chat: Record<string, unknown>): Scenario => ({
  name: `an endpoint that refuses ${name}`,
  upstreams: { a: script, b: [healthy] },
  steps: [{ chat }, { chat }, {}],
})

/** An endpoint that cannot, or will not, do what this request wants. */
export const REFUSALS: readonly Scenario[] = [
  learnt(
    'tools',
    picky('m does not support tools', body => 'tools' in body),
    TOOLS,
  ),
  learnt('images', picky('This model does not support image input', hasImage), IMAGE),
  learnt(
    'JSON mode',
    picky('JSON mode is not supported', body => 'response_format' in body),
    JSON_MODE,
  ),
  learnt(
    'a field',
    picky("'logit_bias' is not supported", body => 'logit_bias' in body),
    { logit_bias: { 1: 1 } },
  ),
  learnt(
    'a droppable field',
    picky("property 'store' is unsupported", body => 'store' in body),
    { store: true },
  ),
  learnt(
    'a long prompt',
    picky(
      "This model's maximum context length is 2048 tokens",
      ({ messages }) => JSON.stringify(messages).length > 9_000,
    ),
    LONG,
  ),
  {
    name: 'an endpoint that refuses to stream',
    upstreams: {
      a: ({ body }) =>
        body.stream
          ? says(400, 'This model does not support streaming', INVALID)
          : chatCompletion('all well'),
    },
    steps: [STREAMED, STREAMED],
  },
  {
    name: 'endpoints that are declared unable',
    upstreams: { a: [healthy], b: [healthy], c: [healthy] },
    tiers: [[{ endpoint: 'a/m', vision: false }], [{ endpoint: 'b/m', tools: false, json: false }], ['c/m']],
    steps: [{ chat: IMAGE }, { chat: TOOLS }, { chat: JSON_MODE }],
  },
  {
    name: 'no endpoint is able',
    upstreams: { a: [healthy] },
    tiers: [[{ endpoint: 'a/m', tools: false }]],
    steps: [{ chat: TOOLS }],
  },
  {
    name: 'no endpoint has the window',
    upstreams: { a: [healthy] },
    tiers: [[{ endpoint: 'a/m', contextWindow: 100 }]],
    steps: [{ chat: LONG }],
  },
  {
    name: 'every endpoint refuses the field',
    upstreams: { a: picky("'logit_bias' is not supported", body => 'logit_bias' in body) },
    steps: [{ chat: { logit_bias: {} } }, { chat: { logit_bias: {} } }],
  },
  {
    name: 'a prompt that is too long for the small window',
    upstreams: {
      a: [
        says(400, 'maximum context length is 8192 tokens', { ...INVALID, code: 'context_length_exceeded' }),
      ],
      b: [healthy],
    },
    tiers: [['a/m'], [{ endpoint: 'b/m', contextWindow: 128_000 }]],
  },
  {
    name: 'a request that the first host refuses',
    upstreams: {
      a: [says(400, "Invalid value: 'wizard'", { ...INVALID, code: 'invalid_value' })],
      b: [healthy],
    },
  },
  {
    name: 'a content filter ends the chain',
    upstreams: {
      a: [says(400, 'The response was filtered', { ...INVALID, code: 'content_filter' })],
      b: [healthy],
    },
  },
  {
    name: 'a content filter leads on where the owner says so',
    upstreams: {
      a: [says(400, 'The response was filtered', { ...INVALID, code: 'content_filter' })],
      b: [healthy],
    },
    settings: { content_filter: 'next' },
  },
  {
    name: 'an answer that was filtered while it was made',
    upstreams: {
      a: [streamOf([chatChunk({ role: 'assistant', content: 'I ' }), chatChunk({}, 'content_filter')])],
      b: [healthy],
    },
    steps: [STREAMED, {}],
  },
  {
    name: 'a body that is too large',
    upstreams: { a: [says(413, 'Request Entity Too Large')], b: [healthy] },
  },
]
