import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFold } from '../../../../lambdas/core/answers/fold/fold-chunks.ts'
import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../../../../lambdas/core/json.ts'
import { createEventReader } from '../../../../lambdas/sse/event-reader.ts'
import { behaviour, streamPieces } from '../../../support/behaviours.ts'
import { foldAll } from '../../../support/fold-all.ts'

const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } }
const QUOTE = { type: 'reference', reference_ids: [1] }

const chunkOf = (delta: JsonObject, rest: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, delta, ...rest }],
})

function firstChoice(completion: JsonObject): JsonObject {
  const [choice] = completion.choices as readonly JsonObject[]
  return choice ?? {}
}

const messageOf = (deltas: readonly JsonObject[]): Json | undefined =>
  firstChoice(foldAll(deltas.map(delta => chunkOf(delta)))).message

function foldBehaviour(id: string): JsonObject {
  const reader = createEventReader()
  const events = [...streamPieces(behaviour(id)).flatMap(piece => reader.push(piece)), ...reader.end()]
  return foldAll(events.map(({ data }) => parseJsonObject(data)).filter(isJsonObject))
}

const callsOf = (...deltas: readonly JsonObject[]): Json | undefined =>
  (messageOf(deltas.map(delta => ({ tool_calls: [delta] }))) as JsonObject).tool_calls

const call = (id: string | undefined, name: string, text: string): JsonObject => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name, arguments: text },
})

const geminiCall = (id: string): JsonObject => ({
  id,
  function: { name: 'f', arguments: '{}' },
  extra_content: { google: { thought_signature: id } },
})

const textFor = (index: number, content: string): JsonObject => ({
  choices: [{ index, delta: { content } }],
})

const logprobsOf = (...content: string[]): JsonObject => ({
  logprobs: { content: content.map(token => ({ token })), refusal: null },
})

const deltaOf = (name: string, value: string): JsonObject =>
  name === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: value } }] } : { [name]: value }

describe('a folded message', () => {
  test.each<[string, readonly JsonObject[], JsonObject]>([
    [
      'joins text',
      [{ role: 'assistant', content: '' }, { content: 'Hel' }, { content: 'lo' }],
      { content: 'Hello' },
    ],
    ['is null without text', [{ content: null }, {}], { content: null }],
    ['keeps an empty text', [{ content: '' }, { content: null }], { content: '' }],
    [
      'joins refusals',
      [{ refusal: null }, { refusal: 'I ' }, { refusal: 'will not' }],
      { refusal: 'I will not' },
    ],
    [
      'joins reasoning under either name',
      [{ reasoning_content: 'a', reasoning: 'x' }, { reasoning_content: 'b' }, { reasoning: 'y' }],
      { reasoning_content: 'ab', reasoning: 'xy' },
    ],
    [
      'joins text that came in parts, with the thinking and the images beside it',
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'H' }] }] },
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'm' }] }] },
        { content: [{ type: 'text', text: '4' }, PICTURE, QUOTE] },
        { content: '2' },
      ],
      { content: '42', reasoning_content: 'Hm', images: [PICTURE], content_parts: [QUOTE] },
    ],
    [
      'makes reasoning whole that was cut into pieces, with its signature',
      [
        { reasoning_details: [{ type: 'reasoning.text', text: 'Let', index: 0 }] },
        { reasoning_details: [{ type: 'reasoning.text', text: ' me', index: 0 }] },
        { reasoning_details: [{ type: 'reasoning.text', signature: 'S', index: 0 }] },
        { reasoning_details: [{ type: 'reasoning.encrypted', data: 'E', index: 1 }] },
      ],
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'Let me', index: 0, signature: 'S' },
          { type: 'reasoning.encrypted', data: 'E', index: 1 },
        ],
      },
    ],
    [
      'begins other reasoning behind a signature where nothing is counted',
      [
        { reasoning_details: [{ type: 'reasoning.text', text: 'a' }] },
        { reasoning_details: [{ type: 'reasoning.text', text: 'b', signature: 'S' }] },
        { reasoning_details: [{ type: 'reasoning.text', text: 'c' }] },
      ],
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'ab', signature: 'S' },
          { type: 'reasoning.text', text: 'c' },
        ],
      },
    ],
    [
      'joins audio that was padded piece by piece',
      [{ audio: { id: 'a', data: 'AQIDBA==' } }, { audio: { data: 'BQYHCA==' } }],
      { audio: { id: 'a', data: 'AQIDBAUGBwg=' } },
    ],
    [
      'keeps each annotation once that is repeated as the list grows',
      [{ annotations: [{ url: 'a' }] }, { annotations: [{ url: 'a' }, { url: 'b' }] }],
      { annotations: [{ url: 'a' }, { url: 'b' }] },
    ],
    [
      'joins a legacy function call',
      [
        { function_call: { name: 'f', arguments: '' } },
        { function_call: { arguments: '{' } },
        { function_call: { arguments: '}' } },
      ],
      { function_call: { name: 'f', arguments: '{}' } },
    ],
    [
      'joins audio',
      [
        { audio: { id: 'a1' } },
        { audio: { data: 'AA', transcript: 'Hel' } },
        { audio: { data: 'BB', transcript: 'lo', expires_at: 9 } },
      ],
      { audio: { id: 'a1', data: 'AABB', transcript: 'Hello', expires_at: 9 } },
    ],
    ['collects annotations', [{ annotations: [1] }, { annotations: [2] }], { annotations: [1, 2] }],
    [
      'keeps the last of what it does not know',
      [{ mood: 'good' }, { mood: null }, { mood: 'bad' }],
      { mood: 'bad' },
    ],
    [
      'does not trip over names of the language',
      [{ constructor: 'a', toString: 'b' }],
      { constructor: 'a', toString: 'b' },
    ],
  ])('%s', (_, deltas, expected) => {
    expect(messageOf(deltas)).toEqual({ role: 'assistant', content: null, ...expected })
  })
})

describe('folded tool calls', () => {
  test('grow by index, also when interleaved', () => {
    const calls = callsOf(
      { index: 0, ...call('a', 'f', '') },
      { index: 1, ...call('b', 'g', '') },
      { index: 0, function: { arguments: '{"x":' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 0, function: { arguments: '1}' } },
    )
    expect(calls).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{}')])
  })

  test('without index and type, as the Gemini layer sends them, stay apart', () => {
    expect(callsOf(geminiCall('a'), geminiCall('b'))).toEqual([
      { ...geminiCall('a'), type: 'function' },
      { ...geminiCall('b'), type: 'function' },
    ])
  })

  test('take arguments that come as an object', () => {
    expect(callsOf({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })).toEqual([
      call('a', 'f', '{"x":1}'),
    ])
  })

  test('may be custom ones', () => {
    const head = { index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: 'x' } }
    expect(callsOf(head, { index: 0, custom: { input: 'y' } })).toEqual([
      { id: 'a', type: 'custom', custom: { name: 'f', input: 'xy' } },
    ])
  })

  test('do not repeat a name that every fragment repeats', () => {
    const calls = callsOf({ index: 0, ...call('a', 'f', '{') }, { index: 0, ...call('a', 'f', '}') })
    expect(calls).toEqual([call('a', 'f', '{}')])
  })
})

describe('a folded completion', () => {
  test('keeps choices apart, in order', () => {
    const completion = foldAll([textFor(1, 'b'), textFor(0, 'a'), textFor(1, 'B'), textFor(0, 'A')])
    expect(completion.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'aA' }, finish_reason: null },
      { index: 1, message: { role: 'assistant', content: 'bB' }, finish_reason: null },
    ])
  })

  test('takes the first id, model and fingerprint that say something', () => {
    const first = { id: '', created: 0, model: '', system_fingerprint: null, provider: 'X' }
    const second = { id: 'c1', created: 7, model: 'm', system_fingerprint: 'fp', service_tier: 'default' }
    expect(foldAll([first, second, { id: 'c2', created: 8, model: 'n', provider: 'Y' }])).toEqual({
      ...second,
      provider: 'X',
      object: 'chat.completion',
      choices: [],
    })
  })

  test('takes the last usage and the last finish reason', () => {
    const completion = foldAll([
      { ...chunkOf({}, { finish_reason: 'stop' }), usage: { total_tokens: 1 } },
      { ...chunkOf({}, { finish_reason: null }), usage: { total_tokens: 2 } },
      { ...chunkOf({}, { finish_reason: '' }), usage: null },
    ])
    expect(completion.usage).toEqual({ total_tokens: 2 })
    expect(firstChoice(completion).finish_reason).toBe('stop')
  })

  test('keeps each citation once that is repeated as the list grows', () => {
    const completion = foldAll([
      { citations: ['a'], ...chunkOf({ content: 'x' }) },
      { citations: ['a', 'b'], search_results: [{ url: 'b' }], ...chunkOf({ content: 'y' }) },
      { citations: ['c'], ...chunkOf({}) },
    ])
    expect(completion).toMatchObject({ citations: ['a', 'b', 'c'], search_results: [{ url: 'b' }] })
  })

  test('finds usage where Groq puts it', () => {
    expect(
      foldAll([{ x_groq: { id: 'r' } }, { x_groq: { id: 'r', usage: { total_tokens: 3 } } }]).usage,
    ).toEqual({ total_tokens: 3 })
  })

  test('joins log probabilities', () => {
    const completion = foldAll([
      chunkOf({}, logprobsOf('a')),
      chunkOf({}, { logprobs: null }),
      chunkOf({}, logprobsOf('b', 'c')),
    ])
    expect(firstChoice(completion)).toMatchObject(logprobsOf('a', 'b', 'c'))
  })

  test.each([
    ['sse-azure-no-delta', 'Hello world'],
    ['sse-choices-null', 'Hello world'],
    ['sse-null-everything', 'Hi'],
    ['sse-multiline-data', 'Hi'],
    ['or-debug-first-chunk', 'Hi'],
    ['sse-malformed-json', 'Hello world'],
    ['sse-utf8-split', '日本語🎉'],
  ])('of the recorded stream %s says %j', (id, content) => {
    expect(firstChoice(foldBehaviour(id))).toMatchObject({
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    })
  })

  test('of a recorded stream without indexes holds the whole tool call', () => {
    expect(firstChoice(foldBehaviour('tool-missing-index')).message).toMatchObject({
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    })
  })
})

describe('folding', () => {
  test('survives any JSON', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.object({
            key: fc.constantFrom('choices', 'delta', 'index', 'tool_calls', 'function', 'content', 'usage'),
          }),
        ),
        objects => {
          expect(foldAll(objects as JsonObject[])).toMatchObject({ object: 'chat.completion' })
        },
      ),
    )
  })

  test('changes nothing that it was given, and what it gave stays as it was', () => {
    const freeze = <Value>(value: Value): Value => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
      return value
    }
    const delta = freeze({
      content: [{ type: 'text', text: 'a' }],
      tool_calls: [{ index: 0, id: 'x', function: { arguments: '1' } }],
    })
    const folding = createFold()
    folding.add(chunkOf(delta))
    const before = structuredClone(freeze(folding.completion()))
    const given = folding.completion()
    folding.add(chunkOf(delta))
    expect(given).toEqual(before)
  })

  test('does not depend on how the deltas were cut', () => {
    const text = fc.string({ minLength: 1 })
    const field = fc.constantFrom('content', 'reasoning_content', 'refusal', 'arguments')
    fc.assert(
      fc.property(fc.array(fc.tuple(field, text)), fc.nat(), (deltas, place) => {
        const whole = deltas.map(([name, value]) => deltaOf(name, value))
        const cut = deltas.flatMap(([name, value]) => {
          const at = place % (value.length + 1)
          return [deltaOf(name, value.slice(0, at)), deltaOf(name, value.slice(at))]
        })
        expect(messageOf(cut)).toEqual(messageOf(whole))
      }),
    )
  })
})
