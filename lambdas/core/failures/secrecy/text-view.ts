/** The bytes of a text in one reading of it (UTF-8), each with the characters of the original that it stands for. */
export type TextView = {
  readonly bytes: Uint8Array
  /** Index of the first character, and behind the last one. */
  readonly from: Int32Array
  readonly to: Int32Array
}

const MOST_BYTES_PER_CHARACTER = 3

/** Takes bytes one by one, up to `most` of them. */
export function createViewWriter(most: number) {
  const [bytes, from, to] = [new Uint8Array(most), new Int32Array(most), new Int32Array(most)]
  let size = 0

  function byte(value: number, first: number, last: number): void {
    bytes[size] = value
    from[size] = first
    to[size] = last
    size += 1
  }

  return {
    byte,
    codePoint(code: number, first: number, last: number): void {
      if (code < 0x80) return byte(code, first, last)
      if (code < 0x800) byte(0xc0 | (code >> 6), first, last)
      else {
        if (code < 0x10000) byte(0xe0 | (code >> 12), first, last)
        else {
          byte(0xf0 | (code >> 18), first, last)
          byte(0x80 | ((code >> 12) & 0x3f), first, last)
        }
        byte(0x80 | ((code >> 6) & 0x3f), first, last)
      }
      byte(0x80 | (code & 0x3f), first, last)
    },
    view: (): TextView => ({
      bytes: bytes.subarray(0, size),
      from: from.subarray(0, size),
      to: to.subarray(0, size),
    }),
  }
}

/** A text as it stands. */
export function viewOf(text: string): TextView {
  const writer = createViewWriter(text.length * MOST_BYTES_PER_CHARACTER)
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    const next = at + (code > 0xffff ? 2 : 1)
    writer.codePoint(code, at, next)
    at = next
  }
  return writer.view()
}
