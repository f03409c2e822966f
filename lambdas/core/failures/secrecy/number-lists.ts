import { digitOf, numberAt } from './digits.ts'
import { createViewWriter, type TextView } from './text-view.ts'

/** How numbers are written: which letter may stand behind a leading 0, and how many digits one may have. */
type Notation = { radix: number; mark: string; mostDigits: number }

const NOTATIONS: readonly Notation[] = [
  { radix: 10, mark: '', mostDigits: 7 },
  { radix: 16, mark: 'x', mostDigits: 8 },
  { radix: 8, mark: 'o', mostDigits: 4 },
  { radix: 2, mark: 'b', mostDigits: 8 },
]
/** Fewer numbers hold nothing worth finding. */
const FEWEST = 6
const MOST_BYTES_PER_CODE_POINT = 4
const [ZERO, MINUS, SMALL_X, SMALL_U] = [0x30, 0x2d, 0x78, 0x75]

/** A number of a list, and where it stands. */
type Numbers = { values: Int32Array; from: Int32Array; to: Int32Array }

const isWord = (byte: number): boolean => byte >= 0x80 || digitOf(byte) >= 0

/** The places of the words of a text, begin and end in turn; whatever stands between words separates them. */
function wordsOf({ bytes }: TextView): Int32Array {
  const places = new Int32Array(bytes.length + 2)
  let size = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (!isWord(bytes[at] ?? 0)) continue
    places[size] = at
    while (at < bytes.length && isWord(bytes[at] ?? 0)) at += 1
    places[size + 1] = at
    size += 2
  }
  return places.subarray(0, size)
}

/** What stands before the digits of a number: `0x`, `0b`, `x`, `u`. */
function prefixOf(bytes: Uint8Array, from: number, { radix, mark }: Notation): number {
  const [first = 0, second = 0] = [bytes[from], bytes[from + 1]]
  if (mark !== '' && first === ZERO && (second | 0x20) === mark.charCodeAt(0)) return 2
  const isMarked = radix === 16 && ((first | 0x20) === SMALL_X || (first | 0x20) === SMALL_U)
  return isMarked ? 1 : 0
}

/** The number of a word: -1 where it is none, null where it only stands before one, as in `U+0073`. */
function valueOf(bytes: Uint8Array, from: number, to: number, notation: Notation): number | null {
  const begin = from + prefixOf(bytes, from, notation)
  if (begin === to) return null
  if (to - begin > notation.mostDigits) return -1
  const value = numberAt(bytes, begin, to, notation.radix)
  if (value > 0x10ffff) return -1
  // Bytes that have a sign: `-61` is the 195 of others.
  const isNegative = bytes[from - 1] === MINUS && !isWord(bytes[from - 2] ?? 0)
  return isNegative && notation.radix === 10 && value > 0 && value <= 128 ? 256 - value : value
}

function* listsOf({ bytes }: TextView, words: Int32Array, notation: Notation): Generator<Numbers> {
  const most = words.length / 2
  const [values, from, to] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)]
  let size = 0
  for (let at = 0; at <= words.length; at += 2) {
    const [first = 0, last = 0] = [words[at], words[at + 1]]
    const value = at < words.length ? valueOf(bytes, first, last, notation) : -1
    if (value === null) continue
    if (value >= 0) {
      values[size] = value
      from[size] = first
      to[size] = last
      size += 1
      continue
    }
    if (size >= FEWEST) {
      yield { values: values.slice(0, size), from: from.slice(0, size), to: to.slice(0, size) }
    }
    size = 0
  }
}

/** Every `step`th number from `begin` on, as the byte or as the character that it is. */
function spell(
  view: TextView,
  { values, from, to }: Numbers,
  { asBytes, begin, step }: { asBytes: boolean; begin: number; step: number },
): TextView {
  const writer = createViewWriter(values.length * MOST_BYTES_PER_CODE_POINT)
  for (let index = begin; index < values.length; index += step) {
    const [value = 0, first = 0, last = 0] = [values[index], from[index], to[index]]
    const [begins, ends] = [view.from[first] ?? 0, view.to[last - 1] ?? 0]
    if (asBytes && value < 0x100) writer.byte(value, begins, ends)
    else writer.codePoint(value, begins, ends)
  }
  return writer.view()
}

/** Each number, and every second one: `{"0":115,"1":107}` is how a `Uint8Array` is written as JSON. */
const STEPS = [
  { begin: 0, step: 1 },
  { begin: 0, step: 2 },
  { begin: 1, step: 2 },
] as const

/**
 * What the lists of numbers in a text say, if these are bytes or characters: `[115 107 45]`, `115,107,45`,
 * `0x73, 0x6b`, `73:6b:2d`, `U+0073 U+006B`. Anything but letters and digits may stand between the numbers.
 */
export function* numberLists(view: TextView): Generator<TextView> {
  const words = wordsOf(view)
  if (words.length < 2 * FEWEST) return
  for (const notation of NOTATIONS) {
    for (const numbers of listsOf(view, words, notation)) {
      const isAscii = numbers.values.every(value => value < 0x80)
      for (const part of notation.radix === 10 ? STEPS : STEPS.slice(0, 1)) {
        yield spell(view, numbers, { asBytes: true, ...part })
        if (!isAscii) yield spell(view, numbers, { asBytes: false, ...part })
      }
    }
  }
}
