import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUtf8Reader } from '../../lambdas/sse/utf8-reader.ts'

const encoder = new TextEncoder()

function readAll(pieces: readonly Uint8Array[], options?: { ignoreBOM: boolean }): string {
  const reader = createUtf8Reader(options)
  return pieces.map(piece => reader.read(piece)).join('') + reader.end()
}

/** Of the same pieces, because Node's own takes a mark behind the first byte of a character for one at the beginning. */
function decodeAll(pieces: readonly Uint8Array[], options: { ignoreBOM: boolean }): string {
  const decoder = new TextDecoder('utf-8', options)
  return pieces.map(piece => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map(text => encoder.encode(text)),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }).map(text => encoder.encode(text)),
  fc.constant(encoder.encode('\uFEFFdata: ü 好\n')),
)

test('reads what a text decoder reads of the same bytes, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(anyBytes, { maxLength: 8 }), fc.boolean(), (pieces, ignoreBOM) => {
      expect(readAll(pieces, { ignoreBOM })).toBe(decodeAll(pieces, { ignoreBOM }))
    }),
    { numRuns: 500 },
  )
})

test('a character that is cut waits for the rest of it', () => {
  const bytes = encoder.encode('ab好')
  expect(readAll([bytes.subarray(0, 3), bytes.subarray(3, 4), bytes.subarray(4)])).toBe('ab好')
  expect(readAll([bytes.subarray(0, 3)])).toBe('ab\uFFFD')
})

test('a byte order mark is left out at the beginning alone', () => {
  expect(readAll([encoder.encode('\uFEFFa'), encoder.encode('\uFEFFb')])).toBe('a\uFEFFb')
  // Behind plain characters it is one more character.
  expect(readAll([encoder.encode('a'), encoder.encode('\uFEFFb')])).toBe('a\uFEFFb')
  expect(readAll([encoder.encode('\uFEFFa')], { ignoreBOM: true })).toBe('\uFEFFa')
})
