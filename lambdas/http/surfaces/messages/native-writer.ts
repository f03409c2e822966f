import { formatNamedEvent } from '../../../sse/format-event.ts'
import { closingOf } from '../translation/native-text.ts'
import type { EventWriter } from '../surface.ts'
import { messagesErrorObject } from './messages-error.ts'

const STOP = formatNamedEvent('message_stop', '{"type":"message_stop"}')

/** Passes an answer of this API on as it came, and ends one that was cut as this API ends a failed one. */
export function createNativeWriter(): EventWriter {
  let last = ''
  let stopped = false
  return {
    part({ text }) {
      last = text || last
      stopped ||= last.includes('message_stop') && /^event: *message_stop/m.test(last)
      return text ?? ''
    },
    cut(error, attempts, event) {
      if (event !== null) return event
      const data = { type: 'error', error: messagesErrorObject(error, attempts) }
      return closingOf(last) + formatNamedEvent('error', JSON.stringify(data))
    },
    // A host that has said how its answer ended may leave out that it did.
    end: () => closingOf(last) + (stopped ? '' : STOP),
  }
}
