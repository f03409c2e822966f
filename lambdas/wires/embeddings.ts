import { readEmbeddings, wantedVectors } from '../core/answers/embedding-list.ts'
import { isErrorEvent } from '../core/answers/error-event.ts'
import { createStreamReader } from '../core/answers/stream-reader.ts'
import { parseJsonObject, type JsonObject } from '../core/json.ts'
import { withoutFields, withoutNulls } from '../providers/without-fields.ts'
import type { Wire } from './wire.ts'

/** An answer that is none: its vectors are not those that were asked for. */
class WrongVectorsError extends Error {
  override readonly name = 'WrongVectorsError'
  readonly code = 'BACKSTOP_WRONG_VECTORS'
}

/** What an answer says in the words of the chat API, as far as the engine needs to know; nobody is sent it. */
const viewOf = ({ usage }: JsonObject): JsonObject => ({
  choices: [{ index: 0, delta: { content: ' ' }, finish_reason: 'stop' }],
  usage,
})

/**
 * OpenAI's API of embeddings, for one request: what an answer must hold depends on what was asked for.
 * https://platform.openai.com/docs/api-reference/embeddings
 */
export function embeddingsWire(asked: JsonObject): Wire {
  const wanted = wantedVectors(asked)
  return {
    path: '/embeddings',
    headers: {},
    fit: (body, { model, droppedParams, body: added }) =>
      withoutFields(withoutNulls({ ...added, ...body, model }), ['stream', ...droppedParams]),
    isError: ({ event }) => event === 'error',
    // No host streams vectors: events can only be an error.
    readStream: createStreamReader,
    readWhole(text) {
      const json = parseJsonObject(text)
      if (!json || isErrorEvent(json) || json.data === undefined) return null
      const completion = readEmbeddings(json, wanted)
      if (!completion) throw new WrongVectorsError()
      const view = viewOf(json)
      return { completion, text: completion === json ? text : null, view, chunks: () => [view] }
    },
  }
}
