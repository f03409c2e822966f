/** What an ASCII digit or letter counts for, as in numbers of up to 36 digits: `a` is 10; -1 = neither. */
export function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x7a && byte < 0x80 ? small - 0x57 : -1
}

/** The number that the digits of a stretch of bytes stand for; -1 where one of them is none, or there is none. */
export function numberAt(bytes: Uint8Array, from: number, to: number, radix: number): number {
  let value = from < to ? 0 : -1
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(bytes[at] ?? 0)
    if (digit < 0 || digit >= radix) return -1
    value = value * radix + digit
  }
  return value
}
