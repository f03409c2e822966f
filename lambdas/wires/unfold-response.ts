import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''
const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : []

type Place = { item_id: Json | undefined; output_index: number }

/** One text that grows: the event of its piece, and the one of its end. */
function grown(kind: string, place: JsonObject, name: string, text: Json | undefined): readonly JsonObject[] {
  const delta = isText(text) ? [{ type: `response.${kind}.delta`, ...place, delta: text }] : []
  return [...delta, { type: `response.${kind}.done`, ...place, [name]: text ?? '' }]
}

function contentEvents(place: Place, content: Json | undefined): readonly JsonObject[] {
  return objectsIn(content).flatMap((part, index): JsonObject[] => {
    const at = { ...place, content_index: index }
    const name = part.type === 'refusal' ? 'refusal' : 'text'
    const kind = part.type === 'reasoning_text' ? 'reasoning_text' : name === 'text' ? 'output_text' : name
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, [name]: '' } },
      ...grown(kind, at, name, part[name]),
      { type: 'response.content_part.done', ...at, part },
    ]
  })
}

function summaryEvents(place: Place, summary: Json | undefined): readonly JsonObject[] {
  return objectsIn(summary).flatMap((part, index): JsonObject[] => {
    const at = { ...place, summary_index: index }
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...grown('reasoning_summary_text', at, 'text', part.text),
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ]
  })
}

/** How an item begins, and what comes before it is done; one of another kind begins whole. */
function splitItem(item: JsonObject, place: Place): { begun: JsonObject; events: readonly JsonObject[] } {
  const begun = { ...item, ...(item.status === undefined ? {} : { status: 'in_progress' }) }
  switch (item.type) {
    case 'message':
      return { begun: { ...begun, content: [] }, events: contentEvents(place, item.content) }
    case 'reasoning': {
      const events = [...summaryEvents(place, item.summary), ...contentEvents(place, item.content)]
      return { begun: { ...begun, summary: [], ...(item.content == null ? {} : { content: [] }) }, events }
    }
    case 'function_call':
      return {
        begun: { ...begun, arguments: '' },
        events: grown('function_call_arguments', place, 'arguments', item.arguments),
      }
    case 'custom_tool_call':
      return {
        begun: { ...begun, input: '' },
        events: grown('custom_tool_call_input', place, 'input', item.input),
      }
    default:
      return { begun, events: [] }
  }
}

/** The events that add up to a response of OpenAI's API. https://platform.openai.com/docs/api-reference/responses-streaming */
export function unfoldResponse(response: JsonObject): readonly JsonObject[] {
  const begun: JsonObject = { ...response, status: 'in_progress', output: [], usage: null }
  const items = objectsIn(response.output).flatMap((item, output_index): JsonObject[] => {
    const { begun: added, events } = splitItem(item, { item_id: item.id, output_index })
    return [
      { type: 'response.output_item.added', output_index, item: added },
      ...events,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  // Work in the background goes on behind the last event.
  const isOver = response.status === 'completed' || response.status === 'incomplete'
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: isOver ? `response.${response.status}` : 'response.queued', response },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}
