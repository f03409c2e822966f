import { createViewWriter, type TextView } from './text-view.ts'

/** ASCII by what is kept of it: letters and digits, in lower case; 0 = nothing. */
const KEPT = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z\d]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
)

/** What two bytes of UTF-8 stand for (Latin, Greek, Cyrillic, …), in small letters. */
const SMALL = Uint16Array.from({ length: 0x800 }, (_, code) => {
  const small = String.fromCharCode(code).toLowerCase()
  const first = small.charCodeAt(0)
  return small.length === 1 && first >= 0x80 && first < 0x800 ? first : code
})
const isContinuation = (byte: number): boolean => byte >> 6 === 2

const [ESCAPE, BRACKET, SMALL_M, SEMICOLON] = [0x1b, 0x5b, 0x6d, 0x3b]
const LONGEST_STYLE = 24

/** Length of what colours a terminal, at this place: `ESC[31m`, also where the control character has been lost. */
function styleAt(bytes: Uint8Array, at: number): number {
  const isEscaped = bytes[at] === ESCAPE
  const begin = isEscaped ? at + 1 : at
  if (bytes[begin] !== BRACKET) return 0
  let end = begin + 1
  while (end - begin < LONGEST_STYLE && isParameter(bytes[end] ?? 0)) end += 1
  const final = bytes[end] ?? 0
  const isStyle = isEscaped ? final >= 0x40 && final <= 0x7e : final === SMALL_M && end > begin + 1
  return isStyle ? end + 1 - at : 0
}

const isParameter = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === SEMICOLON

/** How many bytes at this place are blanks or punctuation beyond ASCII: Latin, general, and Chinese marks. */
function marksAt(bytes: Uint8Array, at: number): number {
  const [first, second = 0, third = 0] = [bytes[at] ?? 0, bytes[at + 1], bytes[at + 2]]
  if (first === 0xc2) return 2
  if (first === 0xe2 && (second === 0x80 || second === 0x81)) return 3
  if (first === 0xe3 && second === 0x80) return 3
  return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
}

/** Reads letters and digits out of bytes, in lower case and without what colours them; calls back with each of them and its place. */
function readLetters(bytes: Uint8Array, keep: (byte: number, at: number) => void): void {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) {
      const kept = KEPT[byte] ?? 0
      if (kept !== 0) keep(kept, at)
      else if (byte === ESCAPE || byte === BRACKET) at += Math.max(0, styleAt(bytes, at) - 1)
      continue
    }
    const marks = marksAt(bytes, at)
    const second = bytes[at + 1] ?? 0
    if (marks > 0) at += marks - 1
    else if (byte >= 0xc3 && byte <= 0xdf && isContinuation(second)) {
      const small = SMALL[((byte & 0x1f) << 6) | (second & 0x3f)] ?? 0
      keep(0xc0 | (small >> 6), at)
      keep(0x80 | (small & 0x3f), at + 1)
      at += 1
    } else keep(byte, at)
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
