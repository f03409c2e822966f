import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Nothing but the page's own files runs, nothing is sent anywhere else, no other page may frame it, and no text becomes
 * markup. https://www.w3.org/TR/CSP3/
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Another gateway may answer at this port tomorrow.
  'cache-control': 'no-store',
}

export function sendPage(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  sendPage(response, status, 'application/json', JSON.stringify(body))
}

/** What went wrong, in words. */
export function sendProblem(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message } })
}

/** Sends a browser to the page itself. */
export function sendToPage(response: ServerResponse): void {
  response.writeHead(302, { ...HEADERS, location: '/', 'content-length': 0 }).end()
}

/** Begins a stream of events. */
export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
}

const MOST_BODY_BYTES = 512 * 1024

/** The JSON object that was sent; null where it is none, or too large. */
export async function readObject(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += part.length
    if (size > MOST_BODY_BYTES) return null
    parts.push(part)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
