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

export type HostileInput = { name: string; answer?: HttpAnswer; body?: string; bytes: number }

const answered = (name: string, answer: HttpAnswer): HostileInput => ({
  name,
  answer,
  bytes: (answer.chunks ?? []).reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0),
    0,
  ),
})

const badMessages = JSON.stringify({
  model: 'chat',
  messages: Array.from({ length: 125_000 }, () => ({ role: 1 })),
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
  { name: '125,000 bad messages', body: badMessages, bytes: badMessages.length },
]
