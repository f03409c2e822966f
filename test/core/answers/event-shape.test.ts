import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFold } from '../../../lambdas/core/answers/fold/fold-chunks.ts'
import { createEventShape } from '../../../lambdas/core/answers/event-shape.ts'
import { createKeyMask } from '../../../lambdas/core/failures/secrecy/mask-keys.ts'
import { inspectChunk } from '../../../lambdas/core/answers/inspect-chunk.ts'
import { createStreamReader, type AnswerPart } from '../../../lambdas/core/answers/stream-reader.ts'
import { parseJsonObject } from '../../../lambdas/core/json.ts'

/** Longer than any event that is read without a parser, and the same JSON. */
const PARSED = ' '.repeat(600)

const KEY = 'sk-1234567890abcdef'
const mask = createKeyMask([KEY])
const OPTIONS = {
  mask,
  wanted: 1,
  callId: (choice: number, position: number) => `call_${choice}x${position}`,
}

type Event = { delta: object; fields: object; choice: object }

/** What a whole stream brings, and what it adds up to. */
function read(events: readonly string[], pad: string) {
  const reader = createStreamReader(OPTIONS)
  const fold = createFold()
  const parts: AnswerPart[] = []
  const faults: unknown[] = []
  for (const event of [...events, '[DONE]']) {
    const data = event === '[DONE]' ? event : pad + event
    const again = reader.repeat(data)
    if (again) {
      parts.push(again)
      continue
    }
    const { parts: more, fault } = reader.add(mask(data))
    parts.push(...more)
    if (fault) {
      faults.push(fault.kind)
      break
    }
  }
  for (const { json, piece } of parts) {
    if (piece) fold.addPiece(piece)
    else fold.add(json)
  }
  return {
    chunks: parts.map(({ json }) => JSON.stringify(json)),
    texts: parts.map(({ text }) => text?.trimStart() ?? null),
    pieces: parts.filter(({ piece }) => piece).length,
    whole: JSON.stringify(fold.completion()),
    progress: { ...reader.progress, choices: [...reader.progress.choices] },
    faults,
  }
}

const chunkOf = ({ delta, fields, choice }: Event): string =>
  JSON.stringify({ id: 'c1', ...fields, choices: [{ index: 0, ...choice, delta }] })

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.constantFrom(KEY, `a ${KEY}`, btoa(KEY), KEY.slice(9), KEY.slice(0, 9)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '"', '\\', '\n', '","', 'content', '{"content":"', '1234567890123456789'),
  },
)
const ordinary = text.map((content): Event => ({ delta: { content }, fields: { created: 1 }, choice: {} }))
const padded = fc
  .tuple(text, text)
  .map(([content, obfuscation]): Event => ({ delta: { content }, fields: { obfuscation }, choice: {} }))
const odd = fc.oneof(
  fc.record({
    delta: fc.oneof(
      text.map(reasoning => ({ reasoning })),
      text.map(reasoning => ({ content: '', reasoning_content: reasoning })),
      fc.tuple(text, text).map(([content, reasoning]) => ({ content, reasoning })),
      text.map(args => ({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: args } }] })),
      fc.constant({}),
      text.map(content => ({ role: 'assistant', content })),
      text.map(content => ({ content: [{ type: 'text', text: content }] })),
    ),
    fields: fc.constantFrom(
      {},
      { created: 2 },
      { usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { usage: null },
      { error: null },
      { obfuscation: '' },
      { obfuscation: null },
      { big: 'x'.repeat(300) },
    ),
    choice: fc.constantFrom(
      {},
      { index: 1 },
      { finish_reason: 'stop' },
      { finish_reason: null },
      { logprobs: { content: [{ token: 'a' }] } },
      { logprobs: null },
    ),
  }),
)
const mixOf = (even: fc.Arbitrary<Event>) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: even }, { weight: 1, arbitrary: odd }), { maxLength: 40 })
const streams = fc.oneof(mixOf(ordinary), mixOf(padded))

const learnt = (data: string) => {
  const shape = createEventShape(mask)
  const json = parseJsonObject(data)
  if (!json) throw new Error('The sample is no object.')
  for (let times = 0; times < 2; times += 1) shape.learn(json, data, inspectChunk(json))
  return shape
}

describe('createEventShape', () => {
  it('reads what a parser reads, in any stream', () => {
    fc.assert(
      fc.property(streams, events => {
        const datas = events.map(chunkOf)
        const { pieces, ...known } = read(datas, '')
        const { pieces: none, ...parsed } = read(datas, PARSED)
        expect(known).toEqual(parsed)
        expect(none).toBe(0)
        expect(pieces).toBeLessThanOrEqual(datas.length)
      }),
      { numRuns: 500 },
    )
  })

  it('parses no event of an even stream but the first ones', () => {
    const datas = Array.from({ length: 20 }, (_, at) =>
      chunkOf({ delta: { content: `word${at} ` }, fields: {}, choice: { finish_reason: null } }),
    )
    expect(read(datas, '').pieces).toBeGreaterThan(14)
  })

  it('knows the padding of each event for padding', () => {
    const datas = Array.from({ length: 20 }, (_, at) =>
      chunkOf({ delta: { content: `word${at} ` }, fields: { obfuscation: 'x'.repeat(at) }, choice: {} }),
    )
    expect(read(datas, '').pieces).toBeGreaterThan(14)
  })

  it('gives the same object as a parser', () => {
    const shape = learnt('{"id":"a","choices":[{"index":0,"delta":{"content":"one"}}],"usage":null}')
    const data = '{"id":"a","choices":[{"index":0,"delta":{"content":"two"}}],"usage":null}'
    const known = shape.read(data)
    expect(known?.json).toEqual(parseJsonObject(data))
    expect(known?.json).toBe(known?.json)
    expect(known).toMatchObject({
      text: data,
      view: { choices: [{ index: 0, output: true, answer: true, finish: null }], usage: null },
      piece: { choice: 0, field: 'content', text: 'two' },
    })
  })

  it('knows what escapes mean', () => {
    const data = JSON.stringify({ choices: [{ delta: { content: 'a "b"\n\\' } }] })
    const known = learnt('{"choices":[{"delta":{"content":"one"}}]}').read(data)
    expect(known).toMatchObject({ text: data, piece: { text: 'a "b"\n\\' } })
  })

  it.each([
    ['text with a tab in it', '{"choices":[{"delta":{"content":"a\tb"}}]}'],
    ['empty text', '{"choices":[{"delta":{"content":""}}]}'],
    ['other fields', '{"choices":[{"delta":{"content":"a","role":"user"}}]}'],
    ["a second field in the text's place", '{"choices":[{"delta":{"content":"a","refusal":"b"}}]}'],
  ])('leaves %s to the parser', (_, data) => {
    expect(learnt('{"choices":[{"delta":{"content":"one"}}]}').read(data)).toBeNull()
  })

  it.each([
    [
      'a text that stands there twice under one name',
      '{"choices":[{"delta":{"content":"one","content":"one"}}]}',
    ],
    ['two texts', '{"choices":[{"delta":{"content":"one","reasoning":"one"}}]}'],
    ['a finish', '{"choices":[{"delta":{"content":"one"},"finish_reason":"stop"}]}'],
    ['usage', '{"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":1}}'],
    ['log probabilities', '{"choices":[{"delta":{"content":"one"},"logprobs":{"content":[]}}]}'],
    ['tool calls', '{"choices":[{"delta":{"content":"one","tool_calls":[]}}]}'],
  ])('learns nothing from %s', (_, data) => {
    expect(learnt(data).read(data.replaceAll('one', 'two'))).toBeNull()
  })
})

it('learns nothing where another field says the words that would prove it', () => {
  const said = (content: string, note: string): string =>
    JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content } }], note })
  const words = 'another text'
  const events = [
    ...Array.from({ length: 8 }, () => said(words, words)),
    said(words, 'else'),
    said('x', words),
  ]
  const fast = read(events, '')
  expect({ ...fast, pieces: 0 }).toEqual({ ...read(events, PARSED), pieces: 0 })
})
