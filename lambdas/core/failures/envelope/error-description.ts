import { isJsonObject, type JsonObject } from '../../json.ts'
import { parseJson } from '../../parse-json.ts'

/** One error as its sender described it, whatever the envelope. `evidence` is machine text beside the message. */
export type ErrorDescription = {
  readonly message: string
  readonly codes: readonly string[]
  readonly param: string | null
  readonly status: number | null
  readonly evidence: string
  /** A further error that this one quotes: `metadata.raw`, or a JSON document inside the message. */
  readonly nested: ErrorDescription | null
}

const NOTHING: ErrorDescription = {
  message: '',
  codes: [],
  param: null,
  status: null,
  evidence: '',
  nested: null,
}
const DEPTH_LIMIT = 5
const CODE_KEYS = [
  'code',
  'type',
  'status',
  'reason',
  'error_type',
  'error_code',
  'errorcode',
  '__type',
  'errorCode',
]
const STATUS_KEYS = ['status', 'code', 'status_code', 'http_code', 'raw_status_code', 'statusCode']

/** Reads an error out of any of the envelopes in use; gives an empty description for what is none. */
export function describeError(value: unknown, depth = 0): ErrorDescription {
  if (depth > DEPTH_LIMIT) return NOTHING
  if (typeof value === 'string') return withNestedJson({ ...NOTHING, message: value }, depth)
  if (Array.isArray(value)) return describeList(value, depth)
  if (!isJsonObject(value)) return NOTHING
  const within = errorWithin(value)
  return within === undefined ? describeObject(value, depth) : describeWrapped(value, within, depth)
}

/** The part of a document that holds the error, or undefined where the document is the error itself. */
export function errorWithin(document: JsonObject): unknown {
  if (isError(document.error)) return document.error
  if (Array.isArray(document.errors) && document.errors.length > 0) return document.errors
  if (isJsonObject(document.x_groq) && isError(document.x_groq.error)) return document.x_groq.error
  const choice: unknown = Array.isArray(document.choices) ? document.choices[0] : undefined
  if (isJsonObject(choice) && isError(choice.error)) return choice.error
  if (isJsonObject(document.fault)) return document.fault
  // OpenAI's Responses API names it inside the response that failed.
  if (isJsonObject(document.response) && isError(document.response.error)) return document.response.error
  return statusWithin(document)
}

/** MiniMax reports how it went beside the choices, well or not. */
function statusWithin({ base_resp: response }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(response) || !response.status_code) return undefined
  return { code: response.status_code, message: response.status_msg }
}

function isError(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || isJsonObject(value)
}

function describeWrapped(outer: JsonObject, within: unknown, depth: number): ErrorDescription {
  const inside = describeError(within, depth + 1)
  const beside = typeof outer.message === 'string' && typeof within === 'string' ? outer.message : null
  const told =
    beside === null ? inside : withNestedJson({ ...inside, message: `${inside.message}: ${beside}` }, depth)
  return {
    ...told,
    codes: unique([...told.codes, ...codesOf(outer)]),
    status: told.status ?? statusOf(outer),
    param: told.param ?? firstText(outer.param),
  }
}

function describeObject(value: JsonObject, depth: number): ErrorDescription {
  const words = [
    value.message,
    value.Message,
    value.faultstring,
    value.detail,
    value.msg,
    value.error_description,
    value.error_message,
    value.error_msg,
    value.err,
    value.exception,
  ]
  const said =
    words.find(word => word !== null && word !== undefined && word !== '') ??
    value.errorMessage ??
    value.title
  const told = typeof said === 'string' ? { ...NOTHING, message: said } : describeError(said, depth + 1)
  const raw = isJsonObject(value.metadata) ? value.metadata.raw : undefined
  return withNestedJson(
    {
      message: told.message,
      codes: unique([...codesOf(value), ...told.codes]),
      param: firstText(value.param) ?? told.param,
      status: statusOf(value) ?? told.status,
      evidence: evidenceOf(value),
      nested: raw === undefined ? told.nested : describeError(rawError(raw), depth + 1),
    },
    depth,
  )
}

function describeList(list: readonly unknown[], depth: number): ErrorDescription {
  const parts = list.slice(0, 4).map(item => describeListItem(item, depth))
  const first = parts[0] ?? NOTHING
  return {
    ...first,
    message: parts
      .map(part => part.message)
      .filter(Boolean)
      .join('; '),
  }
}

function describeListItem(item: unknown, depth: number): ErrorDescription {
  if (!isJsonObject(item) || !Array.isArray(item.loc)) return describeError(item, depth + 1)
  // FastAPI's validation errors name the place apart from the complaint.
  const place = item.loc.filter(step => step !== 'body').join('.')
  return {
    ...describeObject(item, depth),
    message: `${place}: ${firstText(item.msg, item.message) ?? ''}`,
    param: place,
  }
}

function withNestedJson(told: ErrorDescription, depth: number): ErrorDescription {
  const start = told.message.search(/[[{]\s*["{[]/)
  if (start < 0 || depth >= DEPTH_LIMIT) return told
  const document = parseJson(told.message.slice(start, told.message.search(/[\]}][^\]}]*$/) + 1))
  if (!isJsonObject(document) && !Array.isArray(document)) return told
  return { ...told, message: told.message.slice(0, start).trim(), nested: describeError(document, depth + 1) }
}

function rawError(raw: unknown): unknown {
  return typeof raw === 'string' ? (parseJson(raw) ?? raw) : raw
}

function codesOf(value: JsonObject): string[] {
  const details = Array.isArray(value.details)
    ? value.details.filter(isJsonObject).map(detail => detail.reason)
    : []
  const metadata = isJsonObject(value.metadata)
    ? [value.metadata.error_type, value.metadata.limit_source]
    : []
  const extra = isJsonObject(value.provider_specific_fields)
    ? value.provider_specific_fields.innererror
    : undefined
  const inner = [value.innererror, extra, value.detail]
    .filter(isJsonObject)
    .flatMap(part => [part.code, part.errorcode])
  const found = [...metadata, ...details, ...CODE_KEYS.map(key => value[key]), ...inner]
  return found.map(toCode).filter(code => code !== null)
}

function toCode(value: unknown): string | null {
  const code = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  // A status in the code field says nothing that the status line did not say.
  if (code === '' || code.length > 120 || /^(?:[1-5]\d\d|error|none|null)$/i.test(code)) return null
  return code
}

function statusOf(value: JsonObject): number | null {
  for (const key of STATUS_KEYS) {
    const candidate = Number(value[key])
    if (Number.isInteger(candidate) && candidate >= 400 && candidate <= 599) return candidate
  }
  return null
}

function evidenceOf(value: JsonObject): string {
  const details = Array.isArray(value.details) ? JSON.stringify(value.details).slice(0, 8_000) : ''
  return `${details} ${isJsonObject(value.metadata) ? (firstText(value.metadata.limit_source) ?? '') : ''}`.trim()
}

function unique(codes: readonly string[]): string[] {
  return [...new Set(codes)]
}

function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) if (typeof value === 'string' && value.trim() !== '') return value
  return null
}
