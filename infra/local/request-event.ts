import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

// What is not one of these reaches a function as base64, forms included.
const TEXTUAL = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/i

/** The event a Function URL makes of a request: AWS's payload format 2.0. */
export function requestEvent(
  request: IncomingMessage,
  body: Buffer,
  identity: { requestId: string; now: number },
): LambdaFunctionURLEvent {
  const { path, query } = splitTarget(request.url ?? '/')
  const headers = eventHeaders(request)
  const { cookie, ...otherHeaders } = headers
  const host = headers.host ?? 'localhost'
  const textual =
    TEXTUAL.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    // As text, invalid bytes would turn into replacement characters, and pass.
    isUtf8(body)
  const parameters = query === '' ? undefined : queryParameters(query)
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: otherHeaders,
    ...(parameters && { queryStringParameters: parameters }),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: host,
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: identity.requestId,
      routeKey: '$default',
      stage: '$default',
      time: new Date(identity.now).toISOString(),
      timeEpoch: identity.now,
    },
    ...(body.length > 0 && { body: body.toString(textual ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !textual,
  }
}

function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

function eventHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value
  }
  return headers
}

/** A repeated parameter is joined with commas, as the platform does. */
function queryParameters(query: string): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = name in parameters ? `${parameters[name]},${value}` : value
  }
  return parameters
}
