import { numberAt } from './digits.ts'
import { createViewWriter, type TextView } from './text-view.ts'

/** What stands at a place of a view, and how many bytes it takes. */
type Escape = { code: number; length: number; isByte?: true }

const [PERCENT, BACKSLASH, AMPERSAND, HASH, SEMICOLON, SPACE] = [0x25, 0x5c, 0x26, 0x23, 0x3b, 0x20]
const [SMALL_U, CAPITAL_U, SMALL_X] = [0x75, 0x55, 0x78]
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d]
const LAST_CODE_POINT = 0x10ffff
/** `\n`, `\r`, `\t`, `\f`, `\b`, `\v`: all of them are blanks. */
const BLANKS: ReadonlySet<number> = new Set([0x6e, 0x72, 0x74, 0x66, 0x62, 0x76])
const ENTITIES: ReadonlyMap<string, number> = new Map([
  ['amp', AMPERSAND],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', 0x22],
  ['apos', 0x27],
  ['nbsp', SPACE],
])
const LONGEST_ENTITY = 10
const MOST_PASSES = 3

const isSurrogate = (code: number, high: boolean): boolean => code >> 10 === (high ? 0x36 : 0x37)

const hexAt = (bytes: Uint8Array, at: number, count: number): number => numberAt(bytes, at, at + count, 16)

/** `\u0073`, `\u{73}`, and two surrogates in a row. */
function unicodeAt(bytes: Uint8Array, at: number): Escape | null {
  if (bytes[at + 2] === OPEN_BRACE) {
    const end = bytes.subarray(at + 3, at + 10).indexOf(CLOSE_BRACE)
    const code = end < 0 ? -1 : hexAt(bytes, at + 3, end)
    return code < 0 || code > LAST_CODE_POINT ? null : { code, length: end + 4 }
  }
  const code = hexAt(bytes, at + 2, 4)
  if (code < 0) return null
  const hasPair = isSurrogate(code, true) && bytes[at + 6] === bytes[at] && bytes[at + 7] === SMALL_U
  const low = hasPair ? hexAt(bytes, at + 8, 4) : -1
  if (low < 0 || !isSurrogate(low, false)) return { code, length: 6 }
  return { code: 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff), length: 12 }
}

function backslashAt(bytes: Uint8Array, at: number): Escape | null {
  const next = bytes[at + 1] ?? 0
  if (next === SMALL_U) return unicodeAt(bytes, at)
  if (next === CAPITAL_U) {
    const code = hexAt(bytes, at + 2, 8)
    return code < 0 || code > LAST_CODE_POINT ? null : { code, length: 10 }
  }
  if (next === SMALL_X) {
    const code = hexAt(bytes, at + 2, 2)
    return code < 0 ? null : { code, length: 4, isByte: true }
  }
  // As C and Protocol Buffers write a byte: `\303`.
  const octal = numberAt(bytes, at + 1, at + 4, 8)
  if (octal >= 0 && octal < 0x100) return { code: octal, length: 4, isByte: true }
  if (BLANKS.has(next)) return { code: SPACE, length: 2 }
  const isEscaped = next === 0x22 || next === 0x27 || next === 0x2f || next === BACKSLASH
  return isEscaped ? { code: next, length: 2 } : null
}

/** `&#115;` and `&#x73;`; as HTML has it, the semicolon may be missing. */
function numberedEntityAt(bytes: Uint8Array, at: number): Escape | null {
  const isHex = ((bytes[at + 2] ?? 0) | 0x20) === SMALL_X
  const [begin, radix] = isHex ? [at + 3, 16] : [at + 2, 10]
  let end = begin
  while (end - begin < LONGEST_ENTITY && numberAt(bytes, end, end + 1, radix) >= 0) end += 1
  const code = numberAt(bytes, begin, end, radix)
  if (code <= 0 || code > LAST_CODE_POINT) return null
  return { code, length: (bytes[end] === SEMICOLON ? end + 1 : end) - at }
}

function entityAt(bytes: Uint8Array, at: number): Escape | null {
  if (bytes[at + 1] === HASH) return numberedEntityAt(bytes, at)
  const end = bytes.subarray(at, at + LONGEST_ENTITY).indexOf(SEMICOLON)
  if (end < 2) return null
  const name = String.fromCharCode(...bytes.subarray(at + 1, at + end)).toLowerCase()
  const code = ENTITIES.get(name)
  return code === undefined ? null : { code, length: end + 1 }
}

function escapeAt(bytes: Uint8Array, at: number): Escape | null {
  switch (bytes[at]) {
    case PERCENT: {
      // As `escape` of old browsers and servers writes it: `%u0073`.
      if (bytes[at + 1] === SMALL_U) return unicodeAt(bytes, at)
      const code = hexAt(bytes, at + 1, 2)
      return code < 0 ? null : { code, length: 3, isByte: true }
    }
    case BACKSLASH:
      return backslashAt(bytes, at)
    case AMPERSAND:
      return entityAt(bytes, at)
    default:
      return null
  }
}

function openOnce(view: TextView): TextView {
  const { bytes, from, to } = view
  const isPlain = !bytes.includes(PERCENT) && !bytes.includes(BACKSLASH) && !bytes.includes(AMPERSAND)
  if (isPlain) return view
  const writer = createViewWriter(bytes.length)
  let isChanged = false
  for (let at = 0; at < bytes.length;) {
    const escape = escapeAt(bytes, at)
    const length = escape?.length ?? 1
    const [first, last] = [from[at] ?? 0, to[at + length - 1] ?? 0]
    if (!escape || escape.isByte) writer.byte(escape?.code ?? bytes[at] ?? 0, first, last)
    else writer.codePoint(escape.code, first, last)
    isChanged ||= escape !== null
    at += length
  }
  return isChanged ? writer.view() : view
}

/** What a text says where URLs, JSON strings and HTML are read for what they stand for, also inside each other. */
export function openEscapes(view: TextView): TextView {
  let opened = view
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const further = openOnce(opened)
    if (further === opened) break
    opened = further
  }
  return opened
}
