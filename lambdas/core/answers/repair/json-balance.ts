/** Follows a JSON object or list that comes in pieces. */
export type JsonBalance = {
  add(text: string): void
  /** Something but blanks has come. */
  begun(): boolean
  /** Every bracket that was opened is closed. */
  complete(): boolean
}

/** Reads each character once, however the pieces are cut. */
export function createJsonBalance(): JsonBalance {
  let depth = 0
  let begun = false
  let closed = false
  let inString = false
  let escaped = false
  return {
    add(text) {
      for (let index = 0; index < text.length; index += 1) {
        const character = text.charCodeAt(index)
        if (character > 0x20) begun = true
        if (escaped) escaped = false
        else if (inString) {
          if (character === 0x5c) escaped = true
          else if (character === 0x22) inString = false
        } else if (character === 0x22) inString = true
        else if (character === 0x7b || character === 0x5b) depth += 1
        else if (character === 0x7d || character === 0x5d) {
          depth -= 1
          closed = true
        }
      }
    },
    begun: () => begun,
    complete: () => closed && depth === 0 && !inString,
  }
}
