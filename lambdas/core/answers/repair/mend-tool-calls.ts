import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { limit, MOST_TOOL_CALLS } from '../answer-limits.ts'
import { argumentsText, readToolCall, type CallDelta } from './read-tool-call.ts'
import { createToolCallRouter } from './route-tool-call.ts'

export type ToolCallMender = {
  /** The deltas as clients can add them up; the same list where nothing is to be done. */
  mend(deltas: readonly Json[]): readonly Json[]
  /** What is still missing at the end of the message: arguments of calls that take none. Empty when asked again. */
  close(): readonly JsonObject[]
  count(): number
  /** Some call's arguments have begun and not ended. */
  isCut(): boolean
}

type Shown = {
  id: string
  announced: boolean
  isCustom: boolean
  /** Arguments that say nothing wait for the end: some hosts send others after them. */
  waits: boolean
  kept: JsonObject
}

const bodyName = (isCustom: boolean) => (isCustom ? 'custom' : 'function')
const textName = (isCustom: boolean) => (isCustom ? 'input' : 'arguments')

/** One delta a call in each chunk: some clients take a second one of the same index for another call. */
function joinPieces(deltas: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = []
  for (const delta of deltas) {
    const before = joined.at(-1)
    const [head, more] = [before?.function, delta.function]
    if (!before || before.index !== delta.index || !isJsonObject(head) || !isJsonObject(more)) {
      joined.push(delta)
      continue
    }
    const text = argumentsText(head.arguments) + argumentsText(more.arguments)
    joined[joined.length - 1] = { ...delta, ...before, function: { ...more, ...head, arguments: text } }
  }
  return joined.length === deltas.length ? deltas : joined
}

/**
 * Mends the tool calls of one message, delta by delta: each call has an index, an id and a type of its own, its name
 * comes first and once, and its arguments are text. `makeId` gives the id of the call at a position.
 */
export function createToolCallMender(makeId: (position: number) => string): ToolCallMender {
  const router = createToolCallRouter()
  const shown: Shown[] = []
  const ids = new Set<string>()

  function idFor({ id }: CallDelta, position: number): string {
    const own = id !== '' && !ids.has(id) ? id : makeId(position)
    ids.add(own)
    return own
  }

  function announce(position: number, { json, isCustom }: CallDelta, call: Shown): JsonObject {
    const { name, text: whole } = router.calls[position] ?? { name: '', text: '' }
    call.waits = !isCustom && whole === '{}'
    const text = call.waits ? '' : whole
    const body = json[bodyName(isCustom)]
    call.announced = true
    const given = isJsonObject(body) ? body : {}
    const isWell =
      json.index === position &&
      json.id === call.id &&
      typeof json.type === 'string' &&
      json.type !== '' &&
      given.name === name &&
      given[textName(isCustom)] === text
    if (isWell) return json
    const merged: JsonObject = { ...call.kept, ...json }
    return {
      ...merged,
      index: position,
      id: call.id,
      type: merged.type || bodyName(isCustom),
      [bodyName(isCustom)]: { ...given, name, [textName(isCustom)]: text },
    }
  }

  /** A later delta says only what is new: readers append names. */
  function proceed(position: number, next: CallDelta, namePiece: string, call: Shown): JsonObject {
    const { json, isCustom, text } = next
    const field = bodyName(isCustom)
    const body = json[field]
    const { name, ...given }: JsonObject = isJsonObject(body) ? body : {}
    const isWell =
      json.index === position &&
      isJsonObject(body) &&
      name === undefined &&
      (json.id === undefined || json.id === call.id) &&
      (json.type === undefined || json.type === field) &&
      (given[textName(isCustom)] === undefined || given[textName(isCustom)] === text)
    if (isWell) return json
    const { id: _, type: __, ...rest } = json
    return {
      ...rest,
      index: position,
      [field]: {
        ...given,
        ...(namePiece === '' ? {} : { name: namePiece }),
        ...(text === '' ? {} : { [textName(isCustom)]: text }),
      },
    }
  }

  function mendOne(json: JsonObject): JsonObject | null {
    const next = readToolCall(json)
    const { position, begins, repeats, namePiece } = router.route(next)
    limit(router.calls.length, MOST_TOOL_CALLS, 'tool calls')
    if (repeats) return null
    if (begins) {
      shown[position] = {
        id: idFor(next, position),
        announced: false,
        isCustom: next.isCustom,
        waits: false,
        kept: {},
      }
    }
    const call = shown[position]
    if (!call) return null
    if (call.announced) {
      if (next.text.trim() !== '') call.waits = false
      return proceed(position, next, namePiece, call)
    }
    if (router.calls[position]?.name !== '') return announce(position, next, call)
    // Clients begin a call with its name: what comes before waits for it.
    call.kept = { ...call.kept, ...json }
    return null
  }

  function closeOne(call: Shown, position: number): readonly JsonObject[] {
    const routed = router.calls[position]
    if (!routed || call.isCustom) return []
    const isBlank = !routed.balance.begun()
    if (isBlank) {
      routed.text = '{}'
      routed.balance.add('{}')
    }
    // A call that nobody named and that asks for nothing is none.
    if (!call.announced) return isBlank ? [] : [announce(position, readToolCall(call.kept), call)]
    const lacks = isBlank || call.waits
    call.waits = false
    return lacks ? [{ index: position, function: { arguments: '{}' } }] : []
  }

  return {
    mend(deltas) {
      const mended = deltas.map(delta => (isJsonObject(delta) ? mendOne(delta) : null))
      const kept = joinPieces(mended.filter(delta => delta !== null))
      return kept.length === deltas.length && kept.every((delta, place) => delta === deltas[place])
        ? deltas
        : kept
    },
    close: () => shown.flatMap(closeOne),
    count: () => shown.length,
    isCut: () =>
      router.calls.some(
        ({ balance }, position) => !shown[position]?.isCustom && balance.begun() && !balance.complete(),
      ),
  }
}
