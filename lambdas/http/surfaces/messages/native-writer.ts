import type { EventWriter } from '../surface.ts'
import { messagesErrorObject } from './messages-error.ts'

/** Passes an answer of this API on as it came, and ends one that was cut as this API ends a failed one. */
export function createNativeWriter(): EventWriter {
  let last = ''
  return {
    part({ text }) {
      last = text || last
      return text ?? ''
    },
    cut(error, attempts, event) {
      if (event !== null) return event
      const opened = last === '' || /(?:\n\n|\r\r|\r\n\r\n)$/.test(last) ? '' : '\n\n'
      const data = { type: 'error', error: messagesErrorObject(error, attempts) }
      return `${opened}event: error\ndata: ${JSON.stringify(data)}\n\n`
    },
    end: () => '',
  }
}
