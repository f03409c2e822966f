import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../../../../lambdas/core/json.ts'

export type ResponseEvent = JsonObject & { type: string }

/** The events of a stream of this API; the name of each must be its type. */
export function readEvents(text: string): readonly ResponseEvent[] {
  return text
    .split('\n\n')
    .filter(block => block !== '')
    .map(block => {
      const [name = '', data = ''] = block.split('\n')
      const event = parseJsonObject(data.replace(/^data: /, ''))
      if (!event || typeof event.type !== 'string' || name !== `event: ${event.type}`) throw new Error(block)
      return { ...event, type: event.type }
    })
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/**
 * What breaks the order that the API promises; empty where nothing does: numbers without a gap, one open item, every
 * item begun before its deltas and ended before the end, ids that stay, one terminal event.
 */
export function orderFaults(events: readonly ResponseEvent[]): readonly string[] {
  const faults: string[] = []
  let open: { index: Json; id: Json } | null = null
  let items = 0
  for (const [place, event] of events.entries()) {
    const fault = (what: string): void => void faults.push(`${place} ${event.type}: ${what}`)
    const { type } = event
    if (event.sequence_number !== place) fault('number')
    if ((place === 0) !== (type === 'response.created')) fault('created')
    const isTerminal = ['response.completed', 'response.incomplete', 'response.failed'].includes(type)
    if (isTerminal !== (place === events.length - 1)) fault('terminal')
    if (type === 'response.output_item.added') {
      if (open) fault('another item is open')
      if (event.output_index !== items) fault('index')
      open = { index: items, id: objectOf(event.item).id ?? null }
      items += 1
    } else if (type === 'response.output_item.done') {
      if (open?.index !== event.output_index || open?.id !== objectOf(event.item).id)
        fault('not the open item')
      open = null
    } else if (event.item_id !== undefined) {
      if (open?.index !== event.output_index || open?.id !== event.item_id) fault('not the open item')
      if (event.content_index !== undefined && event.content_index !== 0) fault('content index')
    } else if (isTerminal && open && type !== 'response.failed') fault('an item is open')
  }
  return faults
}
