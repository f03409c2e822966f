import { isJsonObject, parseJsonObject, type JsonObject } from '../../../../lambdas/core/json.ts'

export type MessageEvent = JsonObject & { type: string }

/** The events of a stream of this API; the name of each must be its type. */
export function readEvents(text: string): readonly MessageEvent[] {
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

const DELTA_OF: Readonly<Record<string, string>> = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  tool_use: 'input_json_delta',
}

/**
 * What breaks the order that the API promises; empty where nothing does: one start, blocks that do not overlap and are
 * numbered without a gap, deltas of the block's own kind, one delta of the message and one stop at the end.
 */
export function orderFaults(events: readonly MessageEvent[]): readonly string[] {
  const faults: string[] = []
  let open: { index: number; type: string } | null = null
  let blocks = 0
  const shown = events.filter(({ type }) => type !== 'ping')
  for (const [place, event] of shown.entries()) {
    const { type, index, content_block: block, delta } = event
    const fault = (what: string): void => void faults.push(`${place} ${type}: ${what}`)
    if ((place === 0) !== (type === 'message_start')) fault('start')
    if ((place === shown.length - 1) !== (type === 'message_stop' || type === 'error')) fault('end')
    if (type === 'content_block_start') {
      if (open) fault('another block is open')
      if (index !== blocks) fault('index')
      open = { index: blocks, type: isJsonObject(block) ? String(block.type) : '' }
      blocks += 1
    } else if (type === 'content_block_delta') {
      if (open?.index !== index) fault('not the open block')
      if (!isJsonObject(delta) || delta.type !== DELTA_OF[open?.type ?? '']) fault('kind of delta')
    } else if (type === 'content_block_stop') {
      if (open?.index !== index) fault('not the open block')
      open = null
    } else if (type === 'message_delta') {
      if (open) fault('a block is open')
      if (place !== shown.length - 2) fault('not before the end')
    }
  }
  return faults
}
