import type { JsonObject } from '../../../../lambdas/core/json.ts'
import type { SimulatedAnswer } from '../simulated-answer.ts'

/** One answer to one request, before it has a form on the wire. */
export type WireInput = {
  provider: string
  model: string
  /** In the words of the chat API. */
  request: JsonObject
  answer: SimulatedAnswer
  /** Epoch milliseconds. */
  now: number
}

/** The events of one stream, in order, as text. */
export type SimulatedEvents = {
  /** What comes at once. */
  opening: readonly string[]
  /** One event a token, or a whole tool call. */
  output: readonly string[]
  closing: readonly string[]
}

/** An API that simulated providers speak. */
export type SimulatedWire = {
  /** A request in the words of the chat API. Throws where it is none. */
  read(request: JsonObject): JsonObject
  /** The answer of a request that is not streamed. */
  whole(input: WireInput): object
  events(input: WireInput): SimulatedEvents
}
