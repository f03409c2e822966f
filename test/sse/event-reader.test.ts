import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventReader, EventTooLargeError } from '../../lambdas/sse/event-reader.ts'
import type { ServerSentEvent } from '../../lambdas/sse/event-reader.ts'
import { BEHAVIOURS, behaviour, streamPieces } from '../support/behaviours.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function readPieces(pieces: readonly Uint8Array[], maxEventBytes?: number): readonly ServerSentEvent[] {
  const reader = createEventReader(maxEventBytes === undefined ? {} : { maxEventBytes })
  return [...pieces.flatMap(piece => reader.push(piece)), ...reader.end()]
}

const readText = (text: string): readonly ServerSentEvent[] => readPieces([bytesOf(text)])
const dataOf = (events: readonly ServerSentEvent[]): readonly string[] => events.map(event => event.data)

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...[...places].sort((left, right) => left - right), bytes.length]
  return edges.slice(1).map((edge, position) => bytes.subarray(edges[position], edge))
}

describe('what counts as an event', () => {
  test.each<[string, string, readonly ServerSentEvent[]]>([
    ['LF ends lines', 'data: a\n\ndata: b\n\n', ['a', 'b'].map(data => ({ event: null, data }))],
    ['CRLF ends lines', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b'].map(data => ({ event: null, data }))],
    ['CR ends lines', 'data: a\r\rdata: b\r\r', ['a', 'b'].map(data => ({ event: null, data }))],
    ['a leading byte order mark is no part of a field', '\uFEFFdata: a\n\n', [{ event: null, data: 'a' }]],
    ['the space after the colon is optional', 'data:a\n\n', [{ event: null, data: 'a' }]],
    ['only one space after the colon is dropped', 'data:  a\n\n', [{ event: null, data: ' a' }]],
    ['several data lines become one text', 'data: a\ndata: b\n\n', [{ event: null, data: 'a\nb' }]],
    ['an event keeps its name', 'event: error\ndata: {}\n\n', [{ event: 'error', data: '{}' }]],
    [
      'a name belongs to one event only',
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        { event: 'x', data: 'a' },
        { event: null, data: 'b' },
      ],
    ],
    ['id and retry are ignored', 'id: 1\nretry: 1000\ndata: a\n\n', [{ event: null, data: 'a' }]],
    [
      'unknown fields are told apart',
      'colour: red\ndata: a\n\n',
      [
        { event: null, data: 'colour: red', stray: true },
        { event: null, data: 'a' },
      ],
    ],
    [
      'comments are dropped',
      ': keep-alive\n\n: OPENROUTER PROCESSING\n\ndata: a\n\n',
      [{ event: null, data: 'a' }],
    ],
    ['an event without data is no event', 'event: ping\n\nevent: ping\ndata:\n\n', []],
    [
      'the last event needs no blank line',
      'data: a\n\ndata: b\n',
      ['a', 'b'].map(data => ({ event: null, data })),
    ],
    [
      'the last line needs no line end',
      'data: a\n\ndata: b',
      ['a', 'b'].map(data => ({ event: null, data })),
    ],
    ['a stream that ends on CR ends its event', 'data: a\r', [{ event: null, data: 'a' }]],
    ['an empty stream holds nothing', '', []],
    [
      'so are the lines of an error page',
      '<!DOCTYPE html>\n<html>\n\n</html>',
      ['<!DOCTYPE html>\n<html>', '</html>'].map(data => ({ event: null, data, stray: true })),
    ],
  ])('%s', (_, text, events) => {
    expect(readText(text)).toEqual(events)
  })

  test('a character cut by the end of the stream becomes a replacement character, not an exception', () => {
    expect(dataOf(readPieces([bytesOf('data: é').subarray(0, -1)]))).toEqual(['\uFFFD'])
  })

  test('events are delivered with the bytes that complete them, not later', () => {
    const reader = createEventReader()
    expect(reader.push(bytesOf('data: a\n'))).toEqual([])
    expect(dataOf(reader.push(bytesOf('\ndata: b\n\nda')))).toEqual(['a', 'b'])
    expect(dataOf(reader.push(bytesOf('ta: c\r\n\r')))).toEqual(['c'])
    expect(reader.push(bytesOf('\n'))).toEqual([])
    expect(reader.end()).toEqual([])
  })
})

const streams = BEHAVIOURS.filter(entry => streamPieces(entry).length > 0)

describe('a stream says the same however it is cut', () => {
  test.each(streams.map(entry => [entry.id, Buffer.concat([...streamPieces(entry)])] as const))(
    '%s at every byte boundary',
    (_, bytes) => {
      const whole = readPieces([bytes])
      expect(whole.length).toBeGreaterThan(0)
      for (let place = 0; place <= bytes.length; place++) {
        expect(readPieces(cutAt(bytes, [place]))).toEqual(whole)
      }
      expect(readPieces(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(whole)
    },
  )

  const line = fc.oneof(
    fc.string({ unit: 'binary' }).map(text => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('data', 'data:', ': comment', 'event: error', 'id: 7', 'retry: 5', '', '', 'nonsense'),
  )
  const lineEnd = fc.constantFrom('\n', '\r', '\r\n')
  const stream = fc
    .array(fc.tuple(line, lineEnd), { maxLength: 20 })
    .map(lines => bytesOf(lines.flat().join('')))

  test('any lines with any mixture of line ends, at random places', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400)), (bytes, places) => {
        const pieces = cutAt(
          bytes,
          places.map(place => Math.min(place, bytes.length)),
        )
        expect(readPieces(pieces)).toEqual(readPieces([bytes]))
      }),
    )
  })

  const block = fc.oneof(
    { weight: 5, arbitrary: fc.string({ minLength: 1, unit: 'grapheme' }).map(text => `data: ${text}\n\n`) },
    { weight: 1, arbitrary: fc.constantFrom('data: a\ndata: b\n\n', 'data:\n\n', 'event: x\ndata: a\n\n') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('data: {"a":\r\n\r\n', 'data: a\r', 'data: [DONE]\n', ': b\n\n'),
    },
    { weight: 1, arbitrary: fc.constantFrom('\n', 'odd\n', 'data: {}\n', 'data: {"a"\n', 'event: y\n') },
  )

  test('events of one line each, among others', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 20 }), blocks => {
        const bytes = bytesOf(blocks.join(''))
        const inBytes = readPieces(Array.from(bytes, byte => Uint8Array.of(byte)))
        expect(readPieces([bytes])).toEqual(inBytes)
        expect(readPieces(blocks.map(bytesOf))).toEqual(inBytes)
      }),
      { numRuns: 500 },
    )
  })

  test('multibyte characters survive the cut inside them', () => {
    const [first] = readPieces(streamPieces(behaviour('sse-utf8-split')))
    expect(first?.data).toContain('日本語🎉')
  })
})

describe('an event past the limit', () => {
  const limit = 20
  const readAll = (pieces: readonly string[]) => () => readPieces(pieces.map(bytesOf), limit)

  test.each([
    ['in one piece', [`data: ${'x'.repeat(21)}\n\n`]],
    ['in many pieces', ['data: ', ...'x'.repeat(21), '\n\n']],
    ['over several lines', ['data: xxxxxxxxxx\n', 'data: xxxxxxxxxx\n', '\n']],
    ['counted in bytes, not characters', [`data: ${'語'.repeat(7)}\n\n`]],
    ['that never ends', ['data: ', ...Array.from({ length: 100 }, () => 'xxxxxxxxxx')]],
  ])('is refused: %s', (_, pieces) => {
    expect(readAll(pieces)).toThrow(EventTooLargeError)
  })

  test.each([
    ['just at the limit', [`data: ${'x'.repeat(20)}\n\n`]],
    ['just at the limit, in many pieces', ['data: ', ...'x'.repeat(20), '\r', '\n\r\n']],
    ['small ones, many times', Array.from({ length: 50 }, () => 'data: xxxxxxxxxx\n\n')],
    ['comments of any length', [': ', ...Array.from({ length: 50 }, () => 'keep-alive '), '\ndata: x\n\n']],
  ])('is not: %s', (_, pieces) => {
    expect(readAll(pieces)).not.toThrow()
  })

  test('does not swallow the events before it', () => {
    const reader = createEventReader({ maxEventBytes: limit })
    const events = reader.push(bytesOf(`data: first\n\ndata: ${'x'.repeat(50)}\n\ndata: third\n\n`))
    expect(dataOf(events)).toEqual(['first'])
    expect(() => reader.push(bytesOf('data: more\n\n'))).toThrow(EventTooLargeError)
    expect(() => reader.end()).toThrow(EventTooLargeError)
  })
})
