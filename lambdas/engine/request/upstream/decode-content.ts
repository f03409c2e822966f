import { Transform, pipeline, type Readable } from 'node:stream'
import type { Inflate, InflateRaw } from 'node:zlib'

/** Loaded when something is compressed, which few hosts do: it takes a twentieth of a cold start. */
const zlib = () => process.getBuiltinModule('node:zlib')

// A stream is read as it comes, so each flushed block must be delivered at once. What is missing behind the last block
// is missed by whoever reads it: some hosts leave out the trailer of a whole body, as browsers and curl forgive.
function flushed() {
  const { Z_SYNC_FLUSH } = zlib().constants
  return { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
}
const DECODERS: Record<string, () => Transform> = {
  gzip: () => zlib().createGunzip(flushed()),
  'x-gzip': () => zlib().createGunzip(flushed()),
  deflate: inflateAny,
  br: () => zlib().createBrotliDecompress({ flush: zlib().constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib().createZstdDecompress({ flush: zlib().constants.ZSTD_e_flush }),
}

/** A zlib header: deflate with a window of at most 32 KB, and a checksum. https://www.rfc-editor.org/rfc/rfc1950 */
const hasZlibHeader = (first: number, second: number): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

/** `deflate` means zlib, but some hosts send the bare deflate stream inside it: its first two bytes tell. */
function inflateAny(): Transform {
  let head = Buffer.alloc(0)
  let inner: Inflate | InflateRaw | null = null

  function open(outer: Transform): Inflate | InflateRaw {
    const isZlib = head.length >= 2 && hasZlibHeader(head[0] ?? 0, head[1] ?? 0)
    inner = isZlib ? zlib().createInflate(flushed()) : zlib().createInflateRaw(flushed())
    inner.on('data', (bytes: Buffer) => void outer.push(bytes))
    inner.on('error', error => void outer.destroy(error))
    inner.write(head)
    return inner
  }

  return new Transform({
    transform(bytes: Buffer, _, done) {
      if (inner) return void inner.write(bytes, () => done())
      head = Buffer.concat([head, bytes])
      if (head.length < 2) return done()
      open(this).flush(zlib().constants.Z_SYNC_FLUSH, () => done())
    },
    flush(done) {
      const last = inner ?? open(this)
      last.once('end', () => done())
      last.end()
    },
    destroy(error, done) {
      inner?.destroy()
      done(error)
    },
  })
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
