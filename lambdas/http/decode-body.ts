import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { MAX_BODY_BYTES } from '../contract.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { nestingOf } from '../core/answers/json-nesting.ts'
import { GatewayError } from '../core/routing/gateway-error.ts'
import { headerOf } from './request-headers.ts'

const MAX_DEPTH = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

function textOf({ body, isBase64Encoded }: LambdaFunctionURLEvent): string {
  if (!body) throw new GatewayError('invalid_json', 'The request has no body. Send a chat request as JSON.')
  const bytes = isBase64Encoded ? Buffer.from(body, 'base64') : Buffer.from(body, 'utf8')
  if (bytes.length > MAX_BODY_BYTES) {
    throw new GatewayError('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`)
  }
  try {
    return utf8.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const hint = text.includes('\0') ? ' It holds a null byte.' : ''
    const reason = error instanceof Error ? ` ${error.message.slice(0, 120)}` : ''
    throw new GatewayError('invalid_json', `The body is not valid JSON.${hint}${reason}`)
  }
}

/** The JSON object in the body of a request. Throws `GatewayError` for anything else. */
export function decodeBody(event: LambdaFunctionURLEvent): JsonObject {
  const contentType = headerOf(event, 'content-type')
  if (contentType && !/^[\w!#$&^.+-]+\/(?:[\w!#$&^.-]+\+)?json\b/i.test(contentType)) {
    throw new GatewayError(
      'unsupported_content_type',
      `Content type '${contentType.slice(0, 80)}' is not understood. Send "content-type: application/json".`,
    )
  }
  const text = textOf(event)
  if (nestingOf(text) > MAX_DEPTH) {
    throw new GatewayError('nested_too_deeply', `The body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  const value = parse(text)
  if (isJsonObject(value)) return value
  throw new GatewayError('invalid_json', 'The body must be a JSON object: {"model": …, "messages": […]}.')
}
