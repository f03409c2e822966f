import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRawEventReader, type RawEvent } from '../../lambdas/sse/raw-event-reader.ts'

const MAX = 1_000

function readAll(pieces: readonly Uint8Array[]): RawEvent[] {
  const reader = createRawEventReader(MAX)
  const events = pieces.flatMap(piece => reader.push(piece))
  const last = reader.end()
  return last ? [...events, last] : events
}

const STREAM =
  '\uFEFF: hello\r\n\r\nevent: a\ndata: {"x":\ndata: "ü👋"}\n\n\r\rdata:b\r\rdata: [DONE]\r\n\r\nevent: c\ndata: late'

describe('the events of a stream', () => {
  it('are the same wherever the bytes are cut, and together all that came', () => {
    const bytes = Buffer.from(STREAM)
    const whole = readAll([bytes])
    expect(whole.map(({ event, data }) => [event, data])).toEqual([
      [null, null],
      ['a', '{"x":\n"ü👋"}'],
      [null, null],
      [null, null],
      [null, 'b'],
      [null, '[DONE]'],
      ['c', 'late'],
    ])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), cuts => {
        const places = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        const events = readAll(pieces)
        expect(events.map(({ raw }) => raw).join('')).toBe(STREAM)
        expect(events).toEqual(whole)
      }),
    )
  })

  it('are the same with any line ends', () => {
    const value = fc.string({ unit: 'grapheme' }).map(text => text.replace(/[\r\n]/g, ''))
    const line = fc
      .tuple(fc.constantFrom('event: ', 'data: ', 'data:', 'event:', ': ', 'id: ', ''), value)
      .map(([name, text]) => name + text)
    const block = fc.oneof(
      fc.tuple(value, value).map(([name, data]) => [`event: ${name}`, `data: ${data}`]),
      value.map(data => [`data: ${data}`]),
      fc.array(line, { maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), fc.boolean(), (blocks, isWhole) => {
        const lines = [...blocks.flatMap(block => [...block, '']), ...(isWhole ? [] : ['data: late'])]
        const said = (end: string) =>
          readAll([Buffer.from(lines.map(text => text + end).join(''))]).map(({ event, data }) => [
            event,
            data,
          ])
        expect(said('\n')).toEqual(said('\r\n'))
      }),
      { numRuns: 300 },
    )
  })

  it('are no larger than the limit', () => {
    const reader = createRawEventReader(MAX)
    expect(() => reader.push(Buffer.from(`data: ${'x'.repeat(MAX)}`))).toThrow(RangeError)
  })
})
