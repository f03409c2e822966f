import type { ChatRequest } from './chat-request.ts'
import type { Endpoint } from './endpoint.ts'
import type { Failure } from './failures/failure.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { isConditional } from './failures/refused-detail.ts'

/** What one endpoint has shown that it cannot do. */
export type Refusal =
  /** Tools, images, JSON mode, or answers that come in pieces. */
  | { what: 'tools' | 'vision' | 'json' | 'stream' }
  /** A field of the request: one that changes the answer, or one that is only decoration. */
  | { what: 'param' | 'decoration'; name: string }
  /** A prompt longer than this many tokens. */
  | { what: 'context'; window: number }

/** A refusal, and until when it is believed; epoch milliseconds. */
export type Remembered = Refusal & { until: number }

type Asked = Pick<ChatRequest, 'body' | 'needs'>

/** A schema is a demand of its own: hosts that know no schemas may have JSON mode. */
export const JSON_SCHEMA = 'json_schema'

/** Sent by the gateway itself, to learn what an answer cost. */
const OUR_OWN = 'stream_options'

const MOST_REFUSALS = 24
const OTHER_MEDIA = /\b(?:audio|video|pdf|file)s?\b|音频/i
const IMAGES =
  /\b(?:images?|vision|mmproj|multi-?modal)\b|image_url|content must be a string|图片|图像|视觉|多模态/i
/** One image was refused, not images. */
const BROKEN_IMAGE =
  /\b(?:corrupt\w*|truncated|undecodable|download\w*|fetch\w*|base64|resolution|format|mime)\b|\binvalid (?:image|url|data)/i

/** Several calls at once were refused, not calls. */
const PARALLEL_CALLS = /\bparallel[ _](?:tool|function)/i

const asksForSchema = ({ response_format: format }: JsonObject): boolean =>
  isJsonObject(format) && format.type === JSON_SCHEMA

/** Tools of the usual kind, and none of one host's own, whose refusal says nothing about the others. */
function asksForFunctions({ needs, body: { tools } }: Asked): boolean {
  return (
    needs.tools &&
    (!Array.isArray(tools) || tools.every(tool => isJsonObject(tool) && tool.type === 'function'))
  )
}

/** Whether a request carries a field, or asks for a schema where that is what was refused. */
export function carriesParam(body: JsonObject, name: string): boolean {
  if (name === JSON_SCHEMA) return asksForSchema(body)
  return Object.hasOwn(body, name) && body[name] !== undefined && body[name] !== null
}

function learnFromParam(name: string, { body, needs }: Asked, decoration: ReadonlySet<string>) {
  if (name === 'stream') return { what: 'stream' } as const
  if (name === 'response_format' || name === JSON_SCHEMA) {
    if (asksForSchema(body)) return { what: 'param', name: JSON_SCHEMA } as const
    return needs.json ? ({ what: 'json' } as const) : null
  }
  // What the client never sent was no doing of its field.
  if (name !== OUR_OWN && !carriesParam(body, name)) return null
  if (name === 'tools' || name === 'functions') return { what: 'tools' } as const
  // The model and the messages are not what an endpoint can be without.
  if (name === 'model' || name === 'messages') return null
  return { what: decoration.has(name) ? 'decoration' : 'param', name } as const
}

/**
 * What a failure teaches about its endpoint for the requests to come; null = nothing. Only what the request really
 * asked for, and what was refused as such: neither a value that was wrong, nor a limit that a minute brings back.
 */
export function learnFrom(
  { kind, message, refusedParam, statedWindow, relayed }: Failure,
  request: Asked,
  decoration: ReadonlySet<string>,
): Refusal | null {
  // Another Backstop quotes one of its endpoints, and others of its chain can what that one cannot.
  if (relayed) return null
  if (kind === 'context_length') {
    return statedWindow === undefined ? null : { what: 'context', window: statedWindow }
  }
  if (kind === 'unsupported_param' || (kind === 'unsupported_tools' && refusedParam === 'stream')) {
    return refusedParam === undefined ? null : learnFromParam(refusedParam, request, decoration)
  }
  if (isConditional(message)) return null
  if (kind === 'unsupported_tools' && PARALLEL_CALLS.test(message)) {
    return learnFromParam('parallel_tool_calls', request, decoration)
  }
  if (kind === 'unsupported_tools') return asksForFunctions(request) ? { what: 'tools' } : null
  if (kind !== 'unsupported_modality' || !request.needs.vision || BROKEN_IMAGE.test(message)) return null
  return IMAGES.test(message) || !OTHER_MEDIA.test(message) ? { what: 'vision' } : null
}

const keyOf = (refusal: Refusal): string =>
  'name' in refusal ? `${refusal.what} ${refusal.name}` : refusal.what

const isSame = (one: Refusal, other: Refusal): boolean =>
  keyOf(one) === keyOf(other) && (one.what !== 'context' || one.window === (other as typeof one).window)

/** The refusals that are still believed. */
export function standing(remembered: readonly Remembered[], now: number): readonly Remembered[] {
  return remembered.filter(({ until }) => until > now)
}

/**
 * What is remembered once a refusal was seen: the latest word of each kind, at most two dozen of them. The same list
 * where that was known and holds for most of its time, so that a burst of refusals is written once.
 */
export function remember(
  before: readonly Remembered[],
  refusal: Refusal,
  at: number,
  forMs: number,
): readonly Remembered[] {
  if (forMs <= 0) return before
  if (before.some(known => isSame(known, refusal) && known.until > at + forMs / 2)) return before
  const others = standing(before, at).filter(known => keyOf(known) !== keyOf(refusal))
  return [...others, { ...refusal, until: at + forMs }].slice(-MOST_REFUSALS)
}

function limit(endpoint: Endpoint, refusal: Refusal): Endpoint {
  switch (refusal.what) {
    case 'context':
      return endpoint.contextWindow === null ? { ...endpoint, contextWindow: refusal.window } : endpoint
    case 'param':
      return endpoint
    case 'decoration':
      return endpoint.droppedParams.includes(refusal.name)
        ? endpoint
        : { ...endpoint, droppedParams: [...endpoint.droppedParams, refusal.name] }
    default:
      return endpoint[refusal.what] === null ? { ...endpoint, [refusal.what]: false } : endpoint
  }
}

/** An endpoint as far as it is known: what its owner declared wins over what was refused. The same one if nothing was. */
export function knownEndpoint(endpoint: Endpoint, refusals: readonly Refusal[]): Endpoint {
  return refusals.reduce(limit, endpoint)
}

/** The refusals that count for an endpoint, because nothing declared says otherwise. */
export function heeded<Some extends Refusal>(endpoint: Endpoint, refusals: readonly Some[]): readonly Some[] {
  return refusals.filter(refusal => refusal.what === 'param' || limit(endpoint, refusal) !== endpoint)
}

/**
 * The endpoint as it can be asked again at once, because what it refused changes nothing of the answer: decoration
 * left out, or the answer taken whole. Null where the request would be another one.
 */
export function adaptedEndpoint(endpoint: Endpoint, refusal: Refusal): Endpoint | null {
  if (refusal.what !== 'decoration' && refusal.what !== 'stream') return null
  const adapted = limit(endpoint, refusal)
  return adapted === endpoint ? null : adapted
}
