import type { LambdaFunctionURLEvent } from 'aws-lambda'

export type EventOptions = {
  method?: string
  path?: string
  /** Lower-case names, as the platform sends them. */
  headers?: Record<string, string>
  /** Text as it is, anything else as JSON; undefined = no body. */
  body?: unknown
  isBase64Encoded?: boolean
  requestId?: string
}

/** The event a Function URL would make of this request; a chat request without a body unless told otherwise. */
export function functionUrlEvent(options: EventOptions = {}): LambdaFunctionURLEvent {
  const {
    method = 'POST',
    path = '/v1/chat/completions',
    headers = {},
    body,
    isBase64Encoded = false,
  } = options
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'test',
      domainName: 'localhost',
      domainPrefix: 'test',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: options.requestId ?? 'platform-id',
      routeKey: '$default',
      stage: '$default',
      time: '12/Mar/2026:19:03:58 +0000',
      timeEpoch: 1_773_342_238_000,
    },
    ...(body !== undefined && { body: text }),
    isBase64Encoded,
  }
}
