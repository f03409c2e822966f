import { createViewWriter, type TextView } from './text-view.ts'

/** The characters of Windows-1252 that Latin-1 does not have, from 0x80 on; what it leaves open stays as it is. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const BYTES: ReadonlyMap<number, number> = new Map(
  Array.from(WINDOWS, (character, at) => [character.charCodeAt(0), 0x80 + at]),
)

const continuation = (byte: number | undefined): number =>
  byte !== undefined && byte >> 6 === 2 ? byte & 0x3f : -1

/** The byte that a character beyond ASCII was before somebody read it as Latin-1, and how long it is now. */
function byteAt(bytes: Uint8Array, at: number): { byte: number; length: number } | null {
  const [first = 0, second, third] = [bytes[at], continuation(bytes[at + 1]), continuation(bytes[at + 2])]
  if (second < 0) return null
  if (first >= 0xc2 && first <= 0xdf) {
    const code = ((first & 0x1f) << 6) | second
    const byte = code < 0x100 ? code : BYTES.get(code)
    return byte === undefined ? null : { byte, length: 2 }
  }
  if (first >> 4 !== 0xe || third < 0) return null
  const byte = BYTES.get(((first & 0xf) << 12) | (second << 6) | third)
  return byte === undefined ? null : { byte, length: 3 }
}

/** What UTF-8 said before somebody took it for Latin-1 or Windows-1252: `Ð¯` is `Я`. Null where nothing is of it. */
export function misreadBytes({ bytes, from, to }: TextView): TextView | null {
  // Every character beyond ASCII would be at least two of these.
  if (!bytes.includes(0xc2) && !bytes.includes(0xc3)) return null
  const writer = createViewWriter(bytes.length)
  for (let at = 0; at < bytes.length;) {
    const { byte, length } = byteAt(bytes, at) ?? { byte: bytes[at] ?? 0, length: 1 }
    writer.byte(byte, from[at] ?? 0, to[at + length - 1] ?? 0)
    at += length
  }
  return writer.view()
}
