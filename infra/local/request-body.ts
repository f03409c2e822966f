import type { IncomingMessage } from 'node:http'

/** The whole body, or null as soon as it is known to pass the limit. Throws where the client left before its end. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return null
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += part.length
    if (size > limitBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}
