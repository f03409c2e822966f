import type { IncomingMessage } from 'node:http'

/** The whole body, or null as soon as it is known to pass the limit. Rejects where the client left before its end. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve(null)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>()
  const parts: Buffer[] = []
  let size = 0
  function take(part: Buffer): void {
    size += part.length
    if (size <= limitBytes) return void parts.push(part)
    parts.length = 0
    request.off('data', take).pause()
    resolve(null)
  }
  request
    .on('data', take)
    .once('end', () => resolve(Buffer.concat(parts)))
    .on('error', reject)
    .once('close', () => {
      if (!request.readableEnded) reject(new Error('The client left before the end of its request.'))
    })
  return promise
}
