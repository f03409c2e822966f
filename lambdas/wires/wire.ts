import type { WholeAnswer } from '../core/answers/read-whole.ts'
import type { StreamOptions, StreamReader } from '../core/answers/stream-reader.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { JsonObject } from '../core/json.ts'
import type { ServerSentEvent } from '../sse/event-reader.ts'

/** An API that endpoints speak: what is sent, and what the events that come back mean. */
export type Wire = {
  /** Follows the endpoint's base URL. */
  path: string
  /** Headers that this API wants beside those of every call. */
  headers: Readonly<Record<string, string>>
  /** A request's body as this endpoint takes it. Pure: the argument is never changed. */
  fit(body: JsonObject, endpoint: Endpoint, options: { stream: boolean }): JsonObject
  /** An event that is an error by its name, whatever its data says. */
  isError(event: ServerSentEvent): boolean
  /** Reads the events of one answer, in order: its output, its end, its faults. */
  readStream(options: StreamOptions): StreamReader
  /** A whole answer, from the text of a body; null where this is none. Throws `AnswerLimitError`. */
  readWhole(text: string, options: StreamOptions): WholeAnswer | null
}
