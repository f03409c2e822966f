import { isJsonObject, parseJsonObject, type JsonObject } from '../../../core/json.ts'
import { attemptList, type Trail } from '../../../core/routing/trail.ts'
import type { ClientError } from '../../../core/routing/error-codes.ts'
import { formatNamedEvent } from '../../../sse/format-event.ts'
import { closingOf } from '../translation/native-text.ts'
import type { EventWriter } from '../surface.ts'

const dataOf = (block: string): JsonObject | undefined =>
  parseJsonObject(
    block
      .split(/\r\n|\n|\r/)
      .flatMap(line => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
      .join('\n'),
  )

/** Passes an answer of this API on as it came, and ends one that was cut as this API ends a failed one. */
export function createNativeWriter(cutsConnection: boolean): EventWriter {
  let response: JsonObject = {}
  let last = ''

  function failed({ code, message }: ClientError, attempts: Trail): string {
    const number = dataOf(last)?.sequence_number
    const error = { code, message, attempts: attemptList(attempts) }
    const data = {
      type: 'response.failed',
      sequence_number: typeof number === 'number' ? number + 1 : 0,
      response: { ...response, status: 'failed', error },
    }
    return closingOf(last) + formatNamedEvent('response.failed', JSON.stringify(data))
  }

  return {
    part({ text }) {
      if (text === null || text === '') return ''
      last = text
      if (text.includes('response.created')) {
        const created = dataOf(text)?.response
        if (isJsonObject(created)) response = created
      }
      return text
    },
    cut: (error, attempts, event) => event ?? failed(error, attempts),
    end: () => closingOf(last),
    cutsConnection,
  }
}
