import type { TextView } from './text-view.ts'

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a
const isLower = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a

/** The second byte of `À` to `Þ`, but for the multiplication sign among them. */
const isLatinCapital = (byte: number): boolean => byte >= 0x80 && byte <= 0x9e && byte !== 0x97

/** How many bytes at this place are blanks or punctuation beyond ASCII: Latin, general, and Chinese marks. */
function marksAt(bytes: Uint8Array, at: number): number {
  const [first, second = 0, third = 0] = [bytes[at] ?? 0, bytes[at + 1], bytes[at + 2]]
  if (first === 0xc2) return 2
  if (first === 0xe2 && (second === 0x80 || second === 0x81)) return 3
  if (first === 0xe3 && second === 0x80) return 3
  return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
}

/**
 * Letters and digits alone, in lower case: what stays the same however a text is split, quoted, punctuated or
 * capitalised. With the place of each of its bytes.
 */
export function skeletonOf(bytes: Uint8Array): { bytes: Uint8Array; places: Int32Array } {
  const [kept, places] = [new Uint8Array(bytes.length), new Int32Array(bytes.length)]
  let size = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const marks = byte < 0x80 ? 0 : marksAt(bytes, at)
    const isKept = marks === 0 && (byte >= 0x80 || isDigit(byte) || isUpper(byte) || isLower(byte))
    if (marks > 0) at += marks - 1
    if (!isKept) continue
    const isCapital = isUpper(byte) || (bytes[at - 1] === 0xc3 && isLatinCapital(byte))
    kept[size] = isCapital ? byte | 0x20 : byte
    places[size] = at
    size += 1
  }
  return { bytes: kept.subarray(0, size), places: places.subarray(0, size) }
}

/** A view's letters and digits, as a view. */
export function skeletonView({ bytes, from, to }: TextView): TextView {
  const { bytes: kept, places } = skeletonOf(bytes)
  return {
    bytes: kept,
    from: places.map(place => from[place] ?? 0),
    to: places.map(place => to[place] ?? 0),
  }
}
