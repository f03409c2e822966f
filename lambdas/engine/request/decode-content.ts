import { pipeline, type Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants

// A stream is read as it comes, so each flushed block must be delivered at once.
const DECODERS: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ flush: Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdDecompress({ flush: ZSTD_e_flush }),
}

/**
 * The body without its content encoding: some hosts compress although we ask for plain text. Destroying the result
 * destroys the source; an error of either ends both.
 */
export function decodeContent(source: Readable, encoding: string | undefined): Readable {
  const decoder = DECODERS[encoding?.trim().toLowerCase() ?? '']?.()
  if (!decoder) return source
  // The reader sees the error on the decoder itself; the callback only keeps it from being thrown twice.
  pipeline(source, decoder, () => undefined)
  return decoder
}
