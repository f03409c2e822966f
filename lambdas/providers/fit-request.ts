import type { Dialect, Endpoint } from '../core/endpoint.ts'
import { isJsonObject } from '../core/json.ts'
import type { JsonObject } from '../core/json.ts'
import { rowOf } from './catalog.ts'
import { fitMessage } from './fit-message.ts'
import { fitToolCallIds } from './fit-tool-call-ids.ts'
import { quirksOf, type Quirks } from './provider-row.ts'
import { withoutFields, withoutNulls } from './without-fields.ts'

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const

type Step = (body: JsonObject, quirks: Quirks) => JsonObject

const STEPS: readonly Step[] = [renameFields, dropFields, fitStreamOptions, assumeMaxTokens, fitMessages]

/**
 * The client's body as this endpoint understands it: its model, its names for fields, its idea of a history.
 * Pure: the argument is never changed, unknown fields pass through, and fitting twice changes nothing more.
 */
export function fitRequest(body: JsonObject, endpoint: Endpoint, options: { stream: boolean }): JsonObject {
  const quirks = withDialect(quirksOf(rowOf(endpoint), endpoint.model), endpoint.dialect ?? [])
  const target = { ...endpoint.body, ...setStream(body, options.stream), model: endpoint.model }
  const fitted = lowerLimits(
    STEPS.reduce<JsonObject>((so, step) => step(so, quirks), target),
    endpoint,
  )
  // Last, because some of it is the gateway's own.
  return withoutFields(withoutNulls(fitted), endpoint.droppedParams)
}

/** What an endpoint has asked for itself wins over its row. */
function withDialect(quirks: Quirks, dialect: readonly Dialect[]): Quirks {
  if (dialect.length === 0) return quirks
  const asked = new Set(dialect.map(({ what }) => what))
  const renamed = dialect.flatMap(wish => (wish.what === 'renamed' ? [wish] : []))
  const contradicted = new Set(renamed.flatMap(({ name, to }) => [name, to]))
  return {
    ...quirks,
    renamedFields: [
      ...quirks.renamedFields.filter(([from]) => !contradicted.has(from)),
      ...renamed.map(({ name, to }) => [name, to] as const),
    ],
    joinsTextParts: quirks.joinsTextParts || asked.has('joined_texts'),
    emptyTexts: asked.has('no_empty_texts') ? 'drop' : quirks.emptyTexts,
  }
}

/** Without a stream its options go too: OpenAI refuses them alone. */
function setStream(body: JsonObject, stream: boolean): JsonObject {
  return stream ? { ...body, stream } : withoutFields(body, ['stream', 'stream_options'])
}

function renameFields(body: JsonObject, { renamedFields }: Quirks): JsonObject {
  return renamedFields.reduce<JsonObject>((fitted, [from, to]) => {
    const value = fitted[from]
    if (value === undefined) return fitted
    // The name that the host knows wins where the client sent both.
    return { ...withoutFields(fitted, [from]), [to]: fitted[to] ?? value }
  }, body)
}

function dropFields(body: JsonObject, { droppedFields }: Quirks): JsonObject {
  return withoutFields(body, droppedFields)
}

function fitStreamOptions(body: JsonObject, { streamOptions }: Quirks): JsonObject {
  if (body['stream'] !== true) return body
  if (!streamOptions) return withoutFields(body, ['stream_options'])
  const asked = body['stream_options']
  return { ...body, stream_options: { ...(isJsonObject(asked) ? asked : {}), include_usage: true } }
}

function assumeMaxTokens(body: JsonObject, { assumedMaxTokens }: Quirks): JsonObject {
  const unlimited = body['max_tokens'] === undefined || body['max_tokens'] === null
  return assumedMaxTokens !== null && unlimited ? { ...body, max_tokens: assumedMaxTokens } : body
}

/** No longer answer is asked for than the endpoint has said that it takes. */
function lowerLimits(body: JsonObject, { maxOutputTokens: most }: Endpoint): JsonObject {
  if (most === undefined) return body
  const lowered = LIMITS.filter(name => Number(body[name] ?? 0) > most).map(name => [name, most] as const)
  return lowered.length > 0 ? { ...body, ...Object.fromEntries(lowered) } : body
}

function fitMessages(body: JsonObject, quirks: Quirks): JsonObject {
  const messages = body['messages']
  if (!Array.isArray(messages)) return body
  const fitted = messages.map(message => fitMessage(message, quirks))
  const { toolCallIds } = quirks
  return { ...body, messages: toolCallIds === null ? fitted : fitToolCallIds(fitted, toolCallIds) }
}
