import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnswerPart } from '../../lambdas/core/answers/stream-reader.ts'
import { createKeyMask } from '../../lambdas/core/failures/secrecy/mask-keys.ts'
import { createRawEventReader } from '../../lambdas/sse/raw-event-reader.ts'
import { messagesWire } from '../../lambdas/wires/messages.ts'
import { createNativeStream } from '../../lambdas/wires/native-stream.ts'
import type { NativeWire } from '../../lambdas/wires/native-wire.ts'
import { responsesWire } from '../../lambdas/wires/responses.ts'

type Event = { type?: string } & Record<string, unknown>

/** Makes an event longer than any that is known without a parser, and says nothing. */
const PARSED = ' '.repeat(600)

const KEY = 'sk-1234567890abcdef'
const mask = createKeyMask([KEY])

/** What a whole stream brings. */
function read(wire: NativeWire, events: readonly Event[], pad: string, idAt = 5) {
  const stream = createNativeStream(wire, null, mask)
  const reader = createRawEventReader(1e6)
  const parts: AnswerPart[] = []
  const faults: string[] = []
  const texts = events.map(
    (event, at) =>
      `${at % idAt === 4 ? `id: ${KEY}\n` : ''}event: ${event.type}\ndata: ${pad}${JSON.stringify(event)}\n\n`,
  )
  for (const event of reader.push(Buffer.from(texts.join('')))) {
    const { parts: more, fault } = stream.add(event)
    parts.push(...more)
    if (fault) {
      faults.push(fault.kind)
      break
    }
  }
  return {
    known: parts.filter(({ like }) => like).length,
    brought: {
      chunks: parts.map(({ json }) => json),
      texts: parts.map(({ text, like }) => (like ? text : mask(text?.replace(PARSED, '') ?? ''))),
      progress: { ...stream.progress, choices: [...stream.progress.choices] },
      answerId: stream.answerId(),
      malformed: stream.malformed(),
      faults,
    },
  }
}

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.constantFrom(KEY, `a ${KEY}`, btoa(KEY), KEY.slice(9), KEY.slice(0, 9)) },
  { weight: 1, arbitrary: fc.constantFrom('', '"', '\\', '\n', '","', 'text_delta', 'another text', '7') },
)
const index = fc.constantFrom(0, 0, 0, 1)

const messageDelta = (delta: fc.Arbitrary<object>): fc.Arbitrary<Event> =>
  fc.record({ type: fc.constant('content_block_delta'), index, delta })
const messageEvent = fc.oneof(
  { weight: 20, arbitrary: messageDelta(text.map(said => ({ type: 'text_delta', text: said }))) },
  { weight: 4, arbitrary: messageDelta(text.map(thinking => ({ type: 'thinking_delta', thinking }))) },
  {
    weight: 4,
    arbitrary: messageDelta(text.map(partial_json => ({ type: 'input_json_delta', partial_json }))),
  },
  { weight: 1, arbitrary: messageDelta(text.map(signature => ({ type: 'signature_delta', signature }))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Event>(
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', name: 'f', input: { a: 1 } },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_start', message: { id: 'm1', content: [], usage: { input_tokens: 1 } } },
      { type: 'message_start', message: { id: 'm2', content: [] } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' }, error: {} },
    ),
  },
)

const responseDelta = (kind: string): fc.Arbitrary<Event> =>
  fc.tuple(text, fc.option(text), fc.boolean()).map(([delta, obfuscation, isNumbered]) => ({
    type: `response.${kind}.delta`,
    item_id: 'i1',
    ...(isNumbered ? { sequence_number: delta.length } : {}),
    delta,
    ...(obfuscation === null ? {} : { obfuscation }),
  }))
const responseEvent = fc.oneof(
  { weight: 20, arbitrary: responseDelta('output_text') },
  { weight: 3, arbitrary: responseDelta('reasoning_summary_text') },
  { weight: 3, arbitrary: responseDelta('function_call_arguments') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Event>(
      { type: 'response.created', response: { id: 'r1', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'function_call', name: 'f' } },
      { type: 'response.output_text.done', text: 'all' },
      { type: 'response.completed', response: { id: 'r1', status: 'completed', output: [], usage: null } },
      { type: 'response.failed', response: { error: { message: 'no' } } },
      { type: 'keepalive' },
    ),
  },
)

describe.each([
  ['messages', messagesWire, messageEvent],
  ['responses', responsesWire, responseEvent],
] as const)('a native stream of %s', (_, wire, event) => {
  it('is what a parser makes of it, however its events repeat', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), events => {
        const parsed = read(wire, events, PARSED)
        expect(parsed.known).toBe(0)
        expect(read(wire, events, '').brought).toEqual(parsed.brought)
      }),
      { numRuns: 500 },
    )
  })
})

type EventOf = (text: string, place: number) => Event

describe('an even stream', () => {
  const texts = Array.from({ length: 20 }, (_, at) => `word${at} `)

  it.each<[string, NativeWire, EventOf]>([
    [
      'messages',
      messagesWire,
      (said: string) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: said },
      }),
    ],
    [
      'responses',
      responsesWire,
      (delta: string, sequence_number: number) => ({
        type: 'response.output_text.delta',
        content_index: 0,
        delta,
        logprobs: [],
        sequence_number,
        obfuscation: 'x'.repeat(sequence_number % 7),
      }),
    ],
  ])('of %s is known without parsing but for its first events', (_, wire, eventOf) => {
    expect(read(wire, texts.map(eventOf), '', Infinity).known).toBeGreaterThan(14)
  })
})

it('knows no event of a stream whose every event holds a key', () => {
  const events = Array.from({ length: 20 }, (_, at) => ({
    type: 'response.output_text.delta',
    item_id: KEY,
    delta: `word${at} `,
  }))
  expect(read(responsesWire, events, '', Infinity).known).toBe(0)
})
