import { chatChunk, chatCompletion, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { indexlessToolStream, streamOf, wholeToolCalls } from '../../support/tool-calls.ts'
import { STREAMED, type Scenario } from '../scenario.ts'

const healthy = chatStream(['all ', 'well'])
const whole = chatCompletion('all well')
const TOOLS = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]

/** Answers that go well. */
export const ANSWERS: readonly Scenario[] = [
  { name: 'a streamed answer, usage kept back', upstreams: { a: [healthy] }, steps: [STREAMED] },
  {
    name: 'a streamed answer with the usage that was asked for',
    upstreams: { a: [healthy] },
    steps: [{ chat: { stream: true, stream_options: { include_usage: true } } }],
  },
  {
    name: 'a streamed answer without usage',
    upstreams: { a: [chatStream(['all ', 'well'], { usage: null })] },
    steps: [STREAMED],
  },
  { name: 'a whole answer', upstreams: { a: [whole] } },
  { name: 'a whole answer from a stream', upstreams: { a: [healthy] } },
  {
    name: 'a streamed answer from a whole one',
    upstreams: { a: [whole] },
    steps: [STREAMED, { chat: { stream: true, stream_options: { include_usage: true } } }],
  },
  { name: 'a compressed answer', upstreams: { a: [{ ...healthy, gzip: true }] }, steps: [STREAMED, {}] },
  {
    name: 'an answer with a price',
    upstreams: { a: [whole] },
    tiers: [[{ endpoint: 'a/m', price: { input: 2, output: 10 } }]],
  },
  {
    name: 'tool calls without an index',
    upstreams: { a: [indexlessToolStream()] },
    steps: [{ chat: { stream: true, tools: TOOLS } }, { chat: { tools: TOOLS } }],
  },
  {
    name: 'whole tool calls',
    upstreams: { a: [wholeToolCalls()] },
    steps: [{ chat: { stream: true, tools: TOOLS } }, { chat: { tools: TOOLS } }],
  },
  {
    name: 'reasoning before content, and an annotation without choices',
    upstreams: {
      a: [
        streamOf([
          chatChunk({ role: 'assistant', reasoning_content: 'Let me see.' }),
          { id: 'x', object: 'chat.completion.chunk', note: 'annotated' },
          chatChunk({ content: 'Good day' }),
          chatChunk({}, 'length'),
        ]),
      ],
    },
    steps: [STREAMED, {}],
  },
  {
    name: 'unknown fields pass through, own headers do not',
    upstreams: { a: [healthy] },
    variables: { BACKSTOP_CLIENT_KEYS: 'client-key-one' },
    steps: [
      {
        chat: { stream: true, temperature: 0.5, exotic: { nested: [1, 2] } },
        headers: {
          authorization: 'Bearer client-key-one',
          'x-backstop-session': 'order-4711',
          'idempotency-key': 'once',
          'x-backstop-fallback': 'on',
          'x-foreign': 'stays here',
        },
      },
    ],
  },
  {
    name: 'a browser is shown every header',
    upstreams: { a: [whole] },
    variables: { BACKSTOP_CLIENT_KEYS: 'client-key-one' },
    steps: [{ headers: { origin: 'https://example.com', authorization: 'Bearer client-key-one' } }],
  },
  {
    name: 'a request without an id is given one',
    upstreams: { a: [whole] },
    steps: [{ headers: { 'x-request-id': '' } }],
  },
  {
    name: 'a buffered stream fails over from an answer that was cut',
    upstreams: { a: [{ ...chatStream(['half ', 'of '], { finish: null }), end: 'destroy' }], b: [healthy] },
    steps: [{ ...STREAMED, headers: { 'x-backstop-buffer': '1' } }],
  },
  {
    name: 'an alias that buffers',
    upstreams: { a: [chatStream(['half'], { finish: null })], b: [healthy] },
    alias: { buffer: true },
    steps: [STREAMED],
  },
  {
    name: 'the history as Mistral takes it',
    upstreams: { mistral: [healthy] },
    variables: { MISTRAL_API_KEY: 'mistral-key-one' },
    steps: [
      {
        headers: { 'x-backstop-session': 'order-4711' },
        chat: {
          stream: true,
          seed: 7,
          max_completion_tokens: 50,
          user: 'somebody',
          store: true,
          messages: [
            { role: 'developer', content: 'Be brief.' },
            { role: 'user', content: 'Weather?' },
            {
              role: 'assistant',
              content: 'I look.',
              refusal: null,
              reasoning_content: 'hm',
              tool_calls: [
                {
                  id: 'call_with_a_long_id',
                  type: 'function',
                  function: { name: 'weather', arguments: '{}' },
                },
              ],
            },
            { role: 'tool', tool_call_id: 'call_with_a_long_id', content: 'sunny' },
          ],
        },
      },
    ],
  },
  {
    name: 'reasoning as DeepSeek wants it in tool rounds',
    upstreams: { deepseek: [healthy] },
    variables: { DEEPSEEK_API_KEY: 'deepseek-key-one' },
    steps: [
      {
        chat: {
          messages: [
            { role: 'user', content: 'Weather?' },
            {
              role: 'assistant',
              content: '',
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
              ],
            },
            { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
          ],
        },
      },
    ],
  },
]
