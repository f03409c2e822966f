import { pageText, pageTitle, readBodyShape, type BodyShape } from './body-shape.ts'
import { describeError, errorWithin, type ErrorDescription } from './error-description.ts'
import { isJsonObject } from '../../json.ts'

/** What an upstream said, freed from the shape it said it in. */
export type ErrorEnvelope = {
  readonly form: BodyShape['form']
  /** The JSON document that matters: the one with an error, else the last. */
  readonly document: unknown
  readonly documents: readonly unknown[]
  /** The sender's own words; they may decide anything. */
  readonly message: string
  /** Words of a further upstream, quoted: they may only tell of content filters, context and capability. */
  readonly inner: string
  readonly codes: readonly string[]
  readonly innerCodes: readonly string[]
  readonly param: string | null
  /** The status that the body claims, where it claims one. */
  readonly status: number | null
  readonly evidence: string
  readonly hasError: boolean
}

const MESSAGE_LIMIT = 4_000

/** Normalises every envelope in use: objects, arrays, nested JSON, events, HTML, text, nothing. Never throws. */
export function readErrorEnvelope(
  body: string | null,
  headers: Readonly<Record<string, string>>,
): ErrorEnvelope {
  const shape = readBodyShape(body)
  const document = tellingDocument(shape.documents)
  const description = promoteSameError(describe(shape, document))
  const nested = flatten(description.nested)
  // Bedrock names the error only in this header, as `Type:url` or `namespace#Type`.
  const headerCode = (headers['x-amzn-errortype'] ?? headers[':exception-type'])
    ?.split(':')[0]
    ?.split('#')
    .at(-1)
  const bracketed = /^\[(\d{3,5})\]/.exec(description.message)?.[1]
  const codes = [headerCode ?? '', bracketed ?? '', ...description.codes].filter(code => code !== '')
  return {
    form: shape.form,
    document,
    documents: shape.documents,
    message: plain(description.message),
    inner: plain(nested.map(part => part.message).join(' ')),
    codes,
    innerCodes: nested.flatMap(part => part.codes),
    param: description.param,
    status: description.status,
    evidence: description.evidence,
    hasError: carriesError(document) || headers[':message-type'] === 'exception',
  }
}

function describe(shape: BodyShape, document: unknown): ErrorDescription {
  if (shape.form === 'html')
    return { ...describeError(pageTitle(shape.text)), evidence: pageText(shape.text) }
  if (shape.form === 'broken_json') return salvage(shape.text)
  if (document !== undefined) return describeError(document)
  return describeError(shape.text.slice(0, MESSAGE_LIMIT))
}

function tellingDocument(documents: readonly unknown[]): unknown {
  return documents.findLast(carriesError) ?? documents.findLast(hasFinish) ?? documents.at(-1)
}

function carriesError(document: unknown): boolean {
  const first: unknown = Array.isArray(document) ? document[0] : document
  return (
    isJsonObject(first) &&
    (errorWithin(first) !== undefined ||
      first.object === 'error' ||
      first.type === 'error' ||
      first.type === 'response.failed')
  )
}

function hasFinish(document: unknown): boolean {
  const choice: unknown =
    isJsonObject(document) && Array.isArray(document.choices) ? document.choices[0] : undefined
  return isJsonObject(choice) && typeof choice.finish_reason === 'string'
}

/** A quoted error with the same status is the same error in a second wrapper, not another party's. */
function promoteSameError(description: ErrorDescription): ErrorDescription {
  const { nested } = description
  if (
    !nested ||
    nested.status === null ||
    nested.status !== description.status ||
    description.message !== ''
  ) {
    return description
  }
  return { ...nested, codes: [...nested.codes, ...description.codes] }
}

function flatten(description: ErrorDescription | null): ErrorDescription[] {
  return description ? [description, ...flatten(description.nested)] : []
}

/** A body that was cut, or was longer than we look at, still tells its beginning. */
function salvage(text: string): ErrorDescription {
  const message = /"(?:message|detail|error)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,1000})/.exec(text)?.[1] ?? ''
  const codes = [...text.slice(0, 4_000).matchAll(/"(?:code|type)"\s{0,9}:\s{0,9}"([\w.-]{1,80})"/g)]
  return { ...describeError(message), codes: codes.map(match => match[1] ?? '').filter(Boolean) }
}

function plain(text: string): string {
  return text
    .slice(0, MESSAGE_LIMIT)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
}
