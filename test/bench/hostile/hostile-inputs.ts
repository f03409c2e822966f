import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'

const TEXT_END = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
const event = (data: string): string => `data: ${data}\n\n`
const repeat = (count: number, entry: (place: number) => string): string =>
  Array.from({ length: count }, (_, place) => entry(place)).join(',')
const stream = (...given: readonly (string | readonly string[])[]): HttpAnswer => ({
  chunks: [
    ...(given
      .flat()
      .map(event)
      .join('')
      .match(/[^]{1,65536}/g) ?? []),
    event('[DONE]'),
  ],
})
const delta = (fields: string): string => `{"choices":[{"index":0,"delta":{${fields}},"finish_reason":null}]}`

export type HostileInput = {
  name: string
  /** The API that is asked; the endpoint speaks it too, but for the chat API. */
  path?: undefined | '/v1/chat/completions' | '/v1/responses' | '/v1/messages' | '/v1/embeddings'
  isNative?: boolean
  answer?: HttpAnswer
  body?: string
  bytes: number
}

const asked = (name: string, path: HostileInput['path'], body: string): HostileInput => ({
  name,
  path,
  body,
  bytes: Buffer.byteLength(body),
})
/** The same bytes, `size` of them at a time. */
const inPieces = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
const native = (input: HostileInput): HostileInput => ({ ...input, path: '/v1/responses', isNative: true })
const SSE = { 'content-type': 'text/event-stream' }
const LONG_LINE = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(30 * 1024 * 1024)}`

const answered = (name: string, answer: HttpAnswer): HostileInput => ({
  name,
  answer,
  bytes: (answer.chunks ?? []).reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0),
    0,
  ),
})

/** What an upstream, or a client, may send to cost the gateway more than it costs them. */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
  answered(
    '100,000 choices in one event',
    stream(`{"choices":[${repeat(100_000, index => `{"index":${index},"delta":{"content":"x"}}`)}]}`),
  ),
  answered(
    '20,000 tool calls in one event',
    stream(
      delta(
        `"tool_calls":[${repeat(20_000, index => `{"index":${index},"id":"c${index}","function":{"name":"f","arguments":"{}"}}`)}]`,
      ),
      TEXT_END,
    ),
  ),
  answered(
    '20,000 events with a tool call each',
    stream(
      Array.from({ length: 20_000 }, (_, index) =>
        delta(`"tool_calls":[{"index":0,"id":"c${index}","function":{"name":"f","arguments":"{}"}}]`),
      ),
      TEXT_END,
    ),
  ),
  answered(
    '20,000 events with a new field each',
    stream(
      Array.from({ length: 20_000 }, (_, place) => delta(`"content":"x","field${place}":1`)),
      TEXT_END,
    ),
  ),
  answered(
    '400,000 extra keys in one event',
    stream(
      `{${repeat(400_000, place => `"k${place}":1`)},"choices":[{"index":0,"delta":{"content":"x"}}]}`,
      TEXT_END,
    ),
  ),
  answered(
    '200,000 empty events before an answer',
    stream(
      Array.from({ length: 200_000 }, () => '{}'),
      delta('"content":"x"'),
      TEXT_END,
    ),
  ),
  answered(
    '100,000 words that are no JSON',
    stream(
      delta('"content":"x"'),
      Array.from({ length: 100_000 }, () => 'ping'),
      TEXT_END,
    ),
  ),
  answered('one event of a million brackets', stream('['.repeat(1_000_000))),
  answered('a megabyte of glued documents', stream('{}'.repeat(500_000))),
  answered(
    'an image of 9 MB in one event',
    stream(
      delta(`"images":[{"type":"image_url","image_url":{"url":"data:,${'A'.repeat(9 * 1024 * 1024)}"}}]`),
      TEXT_END,
    ),
  ),
  answered(
    'an answer of 100,000 tokens',
    stream(
      Array.from({ length: 100_000 }, () => delta('"content":"word "')),
      TEXT_END,
    ),
  ),
  answered('30 MB without a line break, a kilobyte at a time', { chunks: inPieces(LONG_LINE, 1_024) }),
  native(
    answered('the same, native', {
      headers: SSE,
      chunks: inPieces(`data: {"type":"response.output_text.delta","delta":"${LONG_LINE}`, 1_024),
    }),
  ),
  native(
    answered('100,000 events, native', {
      headers: SSE,
      chunks: inPieces(
        event('{"type":"response.output_text.delta","delta":"word "}').repeat(100_000) +
          event('{"type":"response.completed","response":{"id":"r","output":[],"status":"completed"}}'),
        65_536,
      ),
    }),
  ),
  answered('400,000 comments before an answer', {
    chunks: [...inPieces(':\n\n'.repeat(400_000), 65_536), event(delta('"content":"x"')), event(TEXT_END)],
  }),
  native(
    answered('400,000 comments, native', { headers: SSE, chunks: inPieces(':\n\n'.repeat(400_000), 65_536) }),
  ),
  answered('100,000 names of events without data', {
    chunks: [...inPieces('event: message\n'.repeat(100_000), 65_536), event(TEXT_END)],
  }),
  native(
    answered('100,000 stray lines, native', {
      headers: SSE,
      chunks: inPieces('nothing at all\n\n'.repeat(100_000), 65_536),
    }),
  ),
  answered('a refusal of a megabyte, in base64', {
    status: 400,
    chunks: inPieces(`{"error":{"message":"${'QUJD'.repeat(250_000)}"}}`, 65_536),
  }),
  answered('an error of 4 MB in an event', {
    headers: SSE,
    chunks: inPieces(event(`{"error":{"message":"${'so long '.repeat(500_000)}"}}`), 65_536),
  }),
  answered('headers of 200 KB', {
    headers: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'y'.repeat(1_000)])),
    chunks: ['x'.repeat(1024 * 1024)],
  }),
  ...[125_000, 40_000].map(count =>
    asked(
      `${count / 1_000},000 bad messages`,
      '/v1/chat/completions',
      JSON.stringify({ model: 'chat', messages: Array.from({ length: count }, () => ({ role: 1 })) }),
    ),
  ),
  asked(
    'half a million brackets',
    '/v1/chat/completions',
    `{"model":"chat","messages":${'['.repeat(500_000)}`,
  ),
  asked(
    'messages 100,000 deep',
    '/v1/chat/completions',
    `{"model":"chat","messages":[{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`,
  ),
  ...[300_000, 120_000].map(count =>
    asked(
      `${count / 1_000},000 stop sequences`,
      '/v1/chat/completions',
      `{"model":"chat","messages":[{"role":"user","content":"Hi"}],"stop":[${repeat(count, place => `"s${place}"`)}]}`,
    ),
  ),
  ...[400_000, 120_000].map(count =>
    asked(
      `one key ${count / 1_000},000 times`,
      '/v1/chat/completions',
      `{"model":"chat","messages":[{"role":"user","content":"Hi"}],${repeat(count, place => `"seed":${place}`)}}`,
    ),
  ),
  ...[100_000, 20_000].map(count =>
    asked(
      `a schema of ${count / 1_000},000 fields`,
      '/v1/chat/completions',
      JSON.stringify({
        model: 'chat',
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'f',
              parameters: {
                type: 'object',
                properties: Object.fromEntries(
                  Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', maxLength: at }]),
                ),
              },
            },
          },
        ],
      }),
    ),
  ),
  ...[50_000, 25_000].map(count =>
    asked(
      `${count / 1_000},000 items`,
      '/v1/responses',
      JSON.stringify({
        model: 'chat',
        input: Array.from({ length: count }, (_, at) => ({ role: 'user', content: `Item ${at}` })),
      }),
    ),
  ),
  ...[50_000, 12_000].map(count =>
    asked(
      `${count / 1_000},000 turns`,
      '/v1/messages',
      JSON.stringify({
        model: 'chat',
        max_tokens: 9,
        messages: Array.from({ length: count }, (_, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: [{ type: 'text', text: `Turn ${at}` }],
        })),
      }),
    ),
  ),
  ...[3, 0.5].map(count =>
    asked(
      `${count} million numbers`,
      '/v1/embeddings',
      `{"model":"chat","input":[${'1,'.repeat(count * 1_000_000)}1]}`,
    ),
  ),
  asked(
    'a prompt of 5 MB',
    '/v1/chat/completions',
    JSON.stringify({
      model: 'chat',
      messages: [{ role: 'user', content: 'The same words. '.repeat(330_000) }],
    }),
  ),
]
