import { isAscii } from 'node:buffer'

/** Bytes in, text out, wherever a character is cut. */
export type Utf8Reader = {
  read(bytes: Uint8Array): string
  /** What stands for a character whose last bytes never came. */
  end(): string
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** A decoder is made where there is something to decode: most answers are ASCII, and each text decoder is native. */
export function createUtf8Reader(options: { ignoreBOM?: boolean } = {}): Utf8Reader {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let hasBegun = false
  return {
    read(bytes) {
      if (decoder === null && isAscii(bytes)) {
        hasBegun ||= bytes.length > 0
        return asBuffer(bytes).toString('latin1')
      }
      // Only at the very beginning is a byte order mark one.
      decoder ??= new TextDecoder('utf-8', hasBegun ? { ignoreBOM: true } : options)
      return decoder.decode(bytes, { stream: true })
    },
    end: () => decoder?.decode() ?? '',
  }
}
