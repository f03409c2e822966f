import type { JsonObject } from '../../../../core/json.ts'

/** Writes the events of one stream, numbered in order. */
export type EventStream = (type: string, fields: JsonObject) => string

export function createEventStream(): EventStream {
  let next = 0
  return (type, fields) => {
    const data = JSON.stringify({ type, sequence_number: next, ...fields })
    next += 1
    return `event: ${type}\ndata: ${data}\n\n`
  }
}
