import {
  CAPABILITIES,
  CAPABILITY_NAMES,
  capabilityOfField,
  PARALLEL_CALLS,
  type Capability,
} from '../capabilities.ts'
import type { ChatRequest } from '../chat-request.ts'
import type { Dialect, Endpoint } from '../endpoint.ts'
import type { Failure } from '../failures/failure.ts'
import { asksForSchema, carriesParam, JSON_SCHEMA } from './carries-param.ts'
import { learnDialect, outputAsked } from './learn-dialect.ts'

/** What one endpoint has shown that it cannot do. */
export type Refusal =
  | { what: Capability }
  /** A field of the request: one that changes the answer, or one that the gateway may drop. */
  | { what: 'param' | 'droppable'; name: string }
  /** A prompt longer than this many tokens. */
  | { what: 'context'; window: number }
  /** A longer answer than this many tokens was asked for. */
  | { what: 'output'; most: number }
  | Dialect

/** A refusal, and until when it is believed; epoch milliseconds. */
export type Remembered = Refusal & { until: number }

type Asked = Pick<ChatRequest, 'body' | 'needs'>

/** Sent by the gateway itself, to learn what an answer cost. */
const OUR_OWN = 'stream_options'

/**
 * Fields that change nothing of the answer. An endpoint that refuses one is asked without it; every other field is
 * what the client wants the answer to be like, and is never dropped.
 */
export const DROPPABLE_PARAMS: ReadonlySet<string> = new Set([
  'store',
  'metadata',
  'user',
  'parallel_tool_calls',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'stream_options',
  'prediction',
  // Vectors are converted here where a host knows only the other format.
  'encoding_format',
])

const MOST_REFUSALS = 24

const isNeeded = (name: Capability, { needs }: Asked): boolean => name === 'stream' || needs[name]

function learnFromParam(name: string, asked: Asked): Refusal | null {
  const { body } = asked
  const capability = capabilityOfField(name)
  if (capability === 'json' && asksForSchema(body)) return { what: 'param', name: JSON_SCHEMA }
  if (capability !== undefined) return isNeeded(capability, asked) ? { what: capability } : null
  // What the client never sent was no doing of its field.
  if (name !== OUR_OWN && !carriesParam(body, name)) return null
  // The model and the messages are not what an endpoint can be without.
  if (name === 'model' || name === 'messages') return null
  return { what: DROPPABLE_PARAMS.has(name) ? 'droppable' : 'param', name }
}

/**
 * What a failure teaches about its endpoint for the requests to come; null = nothing. Only what the request really
 * asked for, and what was refused as such: neither a value that was wrong, nor a limit that a minute brings back.
 */
export function learnFrom(failure: Failure, asked: Asked): Refusal | null {
  const { kind, message, refusedParam, statedWindow, statedOutput, relayed } = failure
  // Another Backstop quotes one of its endpoints, and others of its chain can what that one cannot.
  if (relayed) return null
  const dialect = learnDialect(failure, asked.body)
  if (dialect) return dialect
  // Agents ask every host for what only the largest models give.
  if (statedOutput !== undefined && outputAsked(asked.body) > statedOutput) {
    return { what: 'output', most: statedOutput }
  }
  if (kind === 'context_length') {
    return statedWindow === undefined ? null : { what: 'context', window: statedWindow }
  }
  if (kind === 'unsupported_param' || (kind === 'unsupported_tools' && refusedParam === 'stream')) {
    return refusedParam === undefined ? null : learnFromParam(refusedParam, asked)
  }
  const capability = CAPABILITY_NAMES.find(
    name => isNeeded(name, asked) && CAPABILITIES[name].refusedBy(failure, asked.body),
  )
  if (capability === 'tools' && PARALLEL_CALLS.test(message)) {
    return learnFromParam('parallel_tool_calls', asked)
  }
  return capability === undefined ? null : { what: capability }
}

const keyOf = (refusal: Refusal): string =>
  'name' in refusal ? `${refusal.what} ${refusal.name}` : refusal.what

const isSame = (one: Refusal, other: Refusal): boolean =>
  keyOf(one) === keyOf(other) &&
  (one.what !== 'context' || (other.what === 'context' && one.window === other.window)) &&
  (one.what !== 'output' || (other.what === 'output' && one.most === other.most))

/** The refusals that are still believed. */
export function currentRefusals(remembered: readonly Remembered[], now: number): readonly Remembered[] {
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
  const others = currentRefusals(before, at).filter(known => keyOf(known) !== keyOf(refusal))
  return [...others, { ...refusal, until: at + forMs }].slice(-MOST_REFUSALS)
}

/** Without the instant until which it is remembered. */
const dialectOf = (refusal: Dialect): Dialect =>
  refusal.what === 'renamed'
    ? { what: refusal.what, name: refusal.name, to: refusal.to }
    : { what: refusal.what }

function limit(endpoint: Endpoint, refusal: Refusal): Endpoint {
  switch (refusal.what) {
    case 'context':
      return endpoint.contextWindow === null ? { ...endpoint, contextWindow: refusal.window } : endpoint
    case 'output': {
      const { maxOutputTokens: most = Infinity } = endpoint
      return refusal.most < most ? { ...endpoint, maxOutputTokens: refusal.most } : endpoint
    }
    case 'param':
      return endpoint
    case 'renamed':
    case 'joined_texts':
    case 'no_empty_texts': {
      const { dialect = [] } = endpoint
      return dialect.some(known => keyOf(known) === keyOf(refusal))
        ? endpoint
        : { ...endpoint, dialect: [...dialect, dialectOf(refusal)] }
    }
    case 'droppable':
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
export function effectiveRefusals<Some extends Refusal>(
  endpoint: Endpoint,
  refusals: readonly Some[],
): readonly Some[] {
  return refusals.filter(refusal => refusal.what === 'param' || limit(endpoint, refusal) !== endpoint)
}

const CHANGES_NOTHING: ReadonlySet<Refusal['what']> = new Set([
  'droppable',
  'stream',
  'renamed',
  'joined_texts',
  'no_empty_texts',
  // An upper bound, which few answers reach: one that does says so by its finish.
  'output',
])

/**
 * The endpoint as it can be called again at once, because what it refused changes nothing of the answer: a field
 * dropped or renamed, a limit lowered, the history in another form, or the answer taken whole. Null where the request would be another one.
 */
export function adaptedEndpoint(endpoint: Endpoint, refusal: Refusal): Endpoint | null {
  if (!CHANGES_NOTHING.has(refusal.what)) return null
  const adapted = limit(endpoint, refusal)
  return adapted === endpoint ? null : adapted
}

/** What an endpoint refused, in a few words for people. */
export function describeRefusal(refusal: Refusal): string {
  switch (refusal.what) {
    case 'context':
      return `${refusal.window.toLocaleString('en-US')} tokens at most`
    case 'output':
      return `answers of ${refusal.most.toLocaleString('en-US')} tokens at most`
    case 'param':
      return `no ${refusal.name}`
    case 'droppable':
      return `called without ${refusal.name}`
    case 'renamed':
      return `${refusal.name} sent as ${refusal.to}`
    case 'joined_texts':
      return 'texts in parts joined'
    case 'no_empty_texts':
      return 'empty texts left out'
    default:
      return CAPABILITIES[refusal.what].words
  }
}
