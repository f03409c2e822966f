import { memberText } from '../core/edit-json-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { parseJson } from '../core/parse-json.ts'

/** One item of an answer, as its events add up. */
export type StreamedItem = {
  /** More than thoughts. */
  says: boolean
  /** Its JSON; null where half of a call is missing. */
  text: string | null
}

/** Where the text of an event stands in its item: in a part of a list, or in a field. */
type Place = { list: 'content' | 'summary' | null; name: string; part: JsonObject }

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['output_text', { list: 'content', name: 'text', part: { type: 'output_text', annotations: [] } }],
  ['refusal', { list: 'content', name: 'refusal', part: { type: 'refusal' } }],
  ['reasoning_text', { list: 'content', name: 'text', part: { type: 'reasoning_text' } }],
  ['reasoning_summary_text', { list: 'summary', name: 'text', part: { type: 'summary_text' } }],
  ['function_call_arguments', { list: null, name: 'arguments', part: {} }],
  ['mcp_call_arguments', { list: null, name: 'arguments', part: {} }],
  ['custom_tool_call_input', { list: null, name: 'input', part: {} }],
  ['code_interpreter_call_code', { list: null, name: 'code', part: {} }],
])

type Piece = Place & { index: number; deltas: string[]; whole: string }
type Slot = {
  begun: JsonObject | null
  done: JsonObject | null
  doneText: string
  pieces: Map<string, Piece>
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''
const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const isFilledPart = (part: Json): boolean =>
  isJsonObject(part) && (isText(part.text) || isText(part.refusal))

/** Whether an item has what its kind is for: hosts send calls and messages whose words are left out. */
function isFilledItem(item: JsonObject): boolean {
  if (item.type === 'message') return listIn(item.content).some(isFilledPart)
  if (item.type === 'reasoning') return [...listIn(item.content), ...listIn(item.summary)].some(isFilledPart)
  if (item.type === 'function_call') return isText(item.arguments)
  return item.type !== 'custom_tool_call' || isText(item.input)
}

const hasBegun = ({ begun, done, pieces }: Slot): boolean =>
  begun !== null || done !== null || [...pieces.values()].some(piece => textOf(piece) !== '')

const textOf = ({ whole, deltas }: Piece): string => whole || deltas.join('')

/** A message, or a thought, whose beginning was left out; a call is none without its name. */
function bareItem(pieces: readonly Piece[]): JsonObject | null {
  if (pieces.some(({ list }) => list === null)) return null
  const isThought = pieces.every(({ part }) => part.type === 'reasoning_text' || part.type === 'summary_text')
  return isThought
    ? { id: 'rs_1', type: 'reasoning', summary: [] }
    : { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
}

function filledFrom(skeleton: JsonObject, pieces: readonly Piece[]): JsonObject | null {
  const listOf = (wanted: Piece['list']): readonly JsonObject[] =>
    pieces
      .filter(({ list }) => list === wanted)
      .toSorted((one, other) => one.index - other.index)
      .map(piece => ({ ...piece.part, [piece.name]: textOf(piece) }))
  const [content, summary] = [listOf('content'), listOf('summary')]
  const fields = pieces
    .filter(({ list }) => list === null)
    .map((piece): [string, string] => [piece.name, textOf(piece)])
  const item: JsonObject = {
    ...skeleton,
    ...Object.fromEntries(fields),
    ...(content.length > 0 ? { content } : {}),
    ...(summary.length > 0 ? { summary } : {}),
    ...(skeleton.type === 'reasoning' ? {} : { status: 'completed' }),
  }
  const isHalf = item.type === 'function_call' && parseJson(String(item.arguments ?? '')) === undefined
  return isHalf ? null : item
}

function itemOf({ begun, done, doneText, pieces }: Slot): StreamedItem {
  const told = [...pieces.values()].filter(piece => textOf(piece) !== '')
  const skeleton = done ?? begun ?? bareItem(told)
  const says =
    skeleton?.type === 'message' ? isFilledItem(skeleton) || told.length > 0 : skeleton?.type !== 'reasoning'
  if (done && (isFilledItem(done) || told.length === 0)) return { says, text: doneText }
  const item = skeleton && filledFrom(skeleton, told)
  return { says, text: item && JSON.stringify(item) }
}

/** Whether the events of an answer say more than the output that its last event repeats. */
export function saysMore(streamed: readonly StreamedItem[], output: readonly Json[]): boolean {
  if (output.length === 0) return streamed.length > 0
  const repeated = output.filter(
    item => isJsonObject(item) && item.type !== 'reasoning' && isFilledItem(item),
  )
  return streamed.filter(({ says }) => says).length > repeated.length
}

const KIND = /^response\.(\w+)\.(delta|done)$/

/** Adds the events of a response's items up, whichever of them their host leaves out. */
export function createItemFold(): {
  add(event: JsonObject, data: string): void
  items(): readonly StreamedItem[]
} {
  const slots: Slot[] = []
  const byIndex = new Map<Json | undefined, Slot>()

  function open({ output_index: index }: JsonObject): Slot {
    const slot: Slot = { begun: null, done: null, doneText: '', pieces: new Map() }
    slots.push(slot)
    byIndex.set(index, slot)
    return slot
  }

  /** Some hosts give every item the same index, or none. */
  const slotOf = (event: JsonObject): Slot =>
    byIndex.get(event.output_index) ?? (event.output_index === undefined ? slots.at(-1) : null) ?? open(event)

  function begin(event: JsonObject, item: JsonObject): void {
    const before = byIndex.get(event.output_index)
    const isAgain = before && before.done === null && before.begun?.id === item.id
    const slot = isAgain ? before : open(event)
    slot.begun = item
  }

  function end(event: JsonObject, item: JsonObject, data: string): void {
    const before = slotOf(event)
    const slot = before.done && before.done.id !== item.id ? open(event) : before
    slot.done = item
    slot.doneText = memberText(data, 'item') ?? 'null'
  }

  function pieceOf(event: JsonObject, kind: string, place: Place): Piece {
    const index = Number(event.content_index ?? event.summary_index ?? 0)
    const key = `${kind} ${index}`
    const { pieces } = slotOf(event)
    const piece = pieces.get(key) ?? { ...place, index, deltas: [], whole: '' }
    pieces.set(key, piece)
    return piece
  }

  function addText(event: JsonObject, kind: string, isDelta: boolean): void {
    const place = PLACES.get(kind)
    const said = place && (isDelta ? event.delta : event[place.name])
    if (!place || !isText(said)) return
    const piece = pieceOf(event, kind, place)
    if (isDelta) piece.deltas.push(said)
    else piece.whole = said
  }

  function addPart(event: JsonObject, part: JsonObject): void {
    const kind = String(part.type)
    const place = PLACES.get(kind)
    if (!place || !isFilledPart(part)) return
    const piece = pieceOf(event, kind, place)
    piece.part = part
    piece.whole ||= String(part[place.name] ?? '')
  }

  return {
    add(event, data) {
      const { type, item, part } = event
      if (isJsonObject(item) && type === 'response.output_item.added') begin(event, item)
      else if (isJsonObject(part) && type === 'response.content_part.done') addPart(event, part)
      else if (isJsonObject(item) && type === 'response.output_item.done') end(event, item, data)
      else {
        const [, kind = '', what] = KIND.exec(String(type)) ?? []
        addText(event, kind, what === 'delta')
      }
    },
    items: () => slots.filter(hasBegun).map(itemOf),
  }
}
