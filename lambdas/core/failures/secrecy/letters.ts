import { createViewWriter, type TextView } from './text-view.ts'

/** ASCII by what is kept of it: letters and digits, in lower case; 0 = nothing. */
const KEPT = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z\d]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
)

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

/** Reads letters and digits out of bytes, in lower case; calls back with each of them and its place. */
function readLetters(bytes: Uint8Array, keep: (byte: number, at: number) => void): void {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) {
      const kept = KEPT[byte] ?? 0
      if (kept !== 0) keep(kept, at)
      continue
    }
    const marks = marksAt(bytes, at)
    if (marks > 0) at += marks - 1
    else keep(bytes[at - 1] === 0xc3 && isLatinCapital(byte) ? byte | 0x20 : byte, at)
  }
}

/**
 * Letters and digits alone, in lower case: what stays the same however a text is split, quoted, punctuated or
 * capitalised.
 */
export function lettersOf(bytes: Uint8Array): Uint8Array {
  const letters = new Uint8Array(bytes.length)
  let size = 0
  readLetters(bytes, byte => {
    letters[size] = byte
    size += 1
  })
  return letters.subarray(0, size)
}

/** A view's letters and digits, as a view. */
export function lettersView({ bytes, from, to }: TextView): TextView {
  const writer = createViewWriter(bytes.length)
  readLetters(bytes, (byte, at) => writer.byte(byte, from[at] ?? 0, to[at] ?? 0))
  return writer.view()
}
