import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { MAX_BODY_BYTES } from '../contract.ts'
import { parseExact } from '../core/exact-json.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { measureJson, MOST_COMMAS } from '../core/answers/json-nesting.ts'
import { isLongText } from '../core/long-text.ts'
import { GatewayError } from '../core/routing/gateway-error.ts'
import { headerOf } from './request-headers.ts'

/** Loaded when something is compressed, which little is: it takes a twentieth of a cold start. */
const zlib = () => process.getBuiltinModule('node:zlib')

export const MAX_DEPTH = 64
/** Objects, lists and strings: far more than a conversation of 6 MB has. */
export const MAX_VALUES = 131_072
const utf8 = new TextDecoder('utf-8', { fatal: true })

const MAX_OUTPUT = { maxOutputLength: MAX_BODY_BYTES }

/** https://www.rfc-editor.org/rfc/rfc1950#section-2.2 */
const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 1 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

/** Clients and proxies compress long histories. https://www.rfc-editor.org/rfc/rfc9110#name-content-encoding */
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: bytes => bytes,
  gzip: bytes => zlib().gunzipSync(bytes, MAX_OUTPUT),
  'x-gzip': bytes => zlib().gunzipSync(bytes, MAX_OUTPUT),
  // Some send the bare deflate stream instead of zlib's; zlib's first byte says so.
  deflate: bytes =>
    isZlib(bytes) ? zlib().inflateSync(bytes, MAX_OUTPUT) : zlib().inflateRawSync(bytes, MAX_OUTPUT),
  br: bytes => zlib().brotliDecompressSync(bytes, MAX_OUTPUT),
  zstd: bytes => zlib().zstdDecompressSync(bytes, MAX_OUTPUT),
}

const tooLarge = (): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`)

function decompress(bytes: Buffer, encoding: string): Buffer {
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined
  if (!decode) {
    const known = Object.keys(DECODERS).join(', ')
    throw new GatewayError(
      'unsupported_content_type',
      `Content encoding '${encoding.slice(0, 40)}' is not supported. Send the body uncompressed, or as one of ${known}.`,
    )
  }
  try {
    return decode(bytes)
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge()
    throw new GatewayError('invalid_json', `The body could not be decompressed as '${encoding}'.`)
  }
}

const BYTE_ORDER_MARK = '\uFEFF'

function textOf({ body, isBase64Encoded }: LambdaFunctionURLEvent, encoding: string): string {
  if (!body) throw new GatewayError('invalid_json', 'The request has no body. Send a chat request as JSON.')
  if (!isBase64Encoded && encoding === 'identity') {
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw tooLarge()
    return (body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body).toWellFormed()
  }
  const sent = isBase64Encoded ? Buffer.from(body, 'base64') : Buffer.from(body, 'utf8')
  if (sent.length > MAX_BODY_BYTES) throw tooLarge()
  const bytes = decompress(sent, encoding)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return parseExact(text)
  } catch (error) {
    const hint = text.includes('\0') ? ' It holds a null byte.' : ''
    const reason = error instanceof Error ? ` ${error.message.slice(0, 120)}` : ''
    throw new GatewayError('invalid_json', `The body is not valid JSON.${hint}${reason}`)
  }
}

const tooMany = (most: number, what: string): GatewayError =>
  new GatewayError(
    'payload_too_large',
    `The body holds more than ${most.toLocaleString('en-US')} ${what}. Send fewer of them in one request.`,
  )

function checkSize(text: string): void {
  const { depth, values, commas } = measureJson(text, MAX_VALUES)
  if (depth > MAX_DEPTH) {
    throw new GatewayError('nested_too_deeply', `The body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  if (values > MAX_VALUES) throw tooMany(MAX_VALUES, 'objects, lists and strings')
  if (commas > MOST_COMMAS) throw tooMany(MOST_COMMAS, 'entries of lists')
}

/**
 * The JSON object in the body of a request, and its text; a long one lets other requests go on in between. Rejects with
 * `GatewayError` for anything else.
 */
export async function readBody(event: LambdaFunctionURLEvent): Promise<{ text: string; json: JsonObject }> {
  const contentType = headerOf(event, 'content-type')
  if (contentType && !/^[\w!#$&^.+-]+\/(?:[\w!#$&^.-]+\+)?json\b/i.test(contentType)) {
    throw new GatewayError(
      'unsupported_content_type',
      `Content type '${contentType.slice(0, 80)}' is not supported. Send "content-type: application/json".`,
    )
  }
  const encoding = headerOf(event, 'content-encoding')?.trim().toLowerCase()
  const isLong = isLongText(event.body ?? '')
  if (isLong) await nextTurn()
  const text = textOf(event, encoding || 'identity')
  checkSize(text)
  if (isLong) await nextTurn()
  const json = parse(text)
  if (isLong) await nextTurn()
  if (isJsonObject(json)) return { text, json }
  throw new GatewayError('invalid_json', 'The body must be a JSON object: {"model": …, "messages": […]}.')
}

/** The same without the text. */
export const decodeBody = async (event: LambdaFunctionURLEvent): Promise<JsonObject> =>
  (await readBody(event)).json
