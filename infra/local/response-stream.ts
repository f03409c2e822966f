import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import type { ResponsePrelude } from '../../lambdas/platform/lambda-stream.ts'

/**
 * The Writable that a streaming handler receives, over one HTTP response. Holds `write` back until the client
 * has read, and closes when the client leaves.
 */
export class ResponseStream extends Writable {
  readonly #response: ServerResponse
  #prelude: ResponsePrelude = { statusCode: 200, headers: { 'content-type': 'application/octet-stream' } }

  constructor(response: ServerResponse) {
    super()
    this.#response = response
    response.once('close', () => this.destroy())
    // An error without a listener would end the process; the response is torn down in `_destroy` instead.
    this.on('error', () => {})
  }

  /** Sets what the first byte will be preceded by; as in Lambda, nothing is sent until there is one. */
  begin(prelude: ResponsePrelude): void {
    this.#prelude = prelude
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#sendHead()
    if (this.#response.write(chunk)) return done()
    const settle = () => {
      this.#response.off('drain', settle).off('close', settle)
      done()
    }
    this.#response.on('drain', settle).on('close', settle)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#sendHead()
    this.#response.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#response.writableFinished) this.#response.destroy()
    done(error)
  }

  #sendHead(): void {
    if (this.#response.headersSent) return
    // Headers that are given to `writeHead` alone cannot be read back.
    for (const [name, value] of Object.entries(this.#prelude.headers)) this.#response.setHeader(name, value)
    this.#response.writeHead(this.#prelude.statusCode)
  }
}
