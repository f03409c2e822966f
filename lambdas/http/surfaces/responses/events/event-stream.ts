import type { JsonObject } from '../../../../core/json.ts'

/** Writes the events of one stream, numbered in order. */
export type EventStream = {
  write(type: string, fields: JsonObject): string
  /**
   * What writes the events of this type that bring a piece of text each, and else differ in their number alone.
   * `more` stands behind the text, as JSON.
   */
  pieces(type: string, fields: JsonObject): (delta: string, more?: string) => string
}

export function createEventStream(): EventStream {
  let next = 0
  return {
    write(type, fields) {
      const data = JSON.stringify({ type, sequence_number: next, ...fields })
      next += 1
      return `event: ${type}\ndata: ${data}\n\n`
    },
    pieces(type, fields) {
      const before = `event: ${type}\ndata: {"type":"${type}","sequence_number":`
      const between = `,${JSON.stringify(fields).slice(1, -1)},"delta":`
      return (delta, more = '') => {
        const number = next
        next += 1
        return `${before}${number}${between}${JSON.stringify(delta)}${more}}\n\n`
      }
    },
  }
}
