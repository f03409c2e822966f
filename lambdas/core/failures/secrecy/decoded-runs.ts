import { digitOf } from './digits.ts'
import { createViewWriter, type TextView } from './text-view.ts'

type Digits = {
  /** Bits that one character stands for, and in how many ways a run may begin. */
  bits: 4 | 6
  phases: number
  /** Fewer characters hold nothing worth finding. */
  fewest: number
  valueOf(byte: number): number
}

const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a
const isLower = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

const BASE64: Digits = {
  bits: 6,
  phases: 4,
  fewest: 8,
  valueOf(byte) {
    if (isUpper(byte)) return byte - 0x41
    if (isLower(byte)) return byte - 0x47
    if (isDigit(byte)) return byte + 4
    // Both alphabets, `+/` and `-_`.
    if (byte === 0x2b || byte === 0x2d) return 62
    return byte === 0x2f || byte === 0x5f ? 63 : -1
  },
}
const HEX: Digits = {
  bits: 4,
  phases: 2,
  fewest: 12,
  valueOf(byte) {
    const digit = digitOf(byte)
    return digit < 16 ? digit : -1
  },
}

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

/** The stretches of these digits, blanks between them left out: each as the places of its characters. */
function* runsOf({ bytes }: TextView, { valueOf, fewest }: Digits): Generator<Int32Array> {
  const places = new Int32Array(bytes.length)
  let size = 0
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (at < bytes.length && isBlank(byte)) continue
    if (at < bytes.length && valueOf(byte) >= 0) {
      places[size] = at
      size += 1
      continue
    }
    if (size >= fewest) yield places.slice(0, size)
    size = 0
  }
}

function decode(view: TextView, run: Int32Array, begin: number, { bits, valueOf }: Digits): TextView {
  const writer = createViewWriter(Math.ceil((run.length * bits) / 8))
  let [held, count, first] = [0, 0, 0]
  for (let index = begin; index < run.length; index += 1) {
    const at = run[index] ?? 0
    if (count === 0) first = at
    held = ((held << bits) | valueOf(view.bytes[at] ?? 0)) & 0xffff
    count += bits
    if (count < 8) continue
    count -= 8
    writer.byte((held >> count) & 0xff, view.from[first] ?? 0, view.to[at] ?? 0)
    // A character may carry the end of one byte and the beginning of the next.
    first = at
  }
  return writer.view()
}

/**
 * What the stretches of a text say that may be base64 or hexadecimal. Where one begins is unknown (it may be cut, and
 * prose may stand before it), so each is read from every place where a byte can begin.
 */
export function* decodedRuns(view: TextView): Generator<TextView> {
  for (const digits of [BASE64, HEX]) {
    for (const run of runsOf(view, digits)) {
      for (let phase = 0; phase < digits.phases; phase += 1) yield decode(view, run, phase, digits)
    }
  }
}
