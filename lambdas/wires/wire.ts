import type { ChunkView } from '../core/answers/inspect-chunk.ts'
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
  /** One event, or a whole answer: output, finish, usage, or an error in band. Total on any JSON object. */
  inspect(json: JsonObject): ChunkView
  /** An event that is an error by its name, whatever its data says. */
  isError(event: ServerSentEvent): boolean
  /** Nothing of the answer comes after this event. */
  isDone(event: ServerSentEvent): boolean
  /** A whole answer in the events that it could have been streamed in; null where this is no answer. */
  unfold(json: JsonObject): readonly JsonObject[] | null
}
