import type { Path } from '../core/answers/event-template.ts'
import type { JsonObject } from '../core/json.ts'

/** Adds the events of a stream up to the answer that is given without one. */
export type NativeFold = {
  /** @param data its text, as it came */
  add(event: JsonObject, data: string): void
  /** The answer; null where the events add up to none. */
  text(): string | null
}

/** What clients get for one event. */
export type Mended = {
  /** Events that clients need before it, and that the host has left out. */
  before?: readonly JsonObject[]
  /** What stands in its place; null = nothing, absent = the event as it came. */
  instead?: JsonObject | null
  /** It belongs to another answer. */
  isStrange?: boolean
}

/**
 * An API of clients that endpoints speak too. What passes is only looked at: an event tells in the words of the chat
 * API whether there is output, a finish or usage, and nothing of what is read here is sent to anyone.
 */
export type NativeWire = {
  /** Headers that this API wants beside those of every call. */
  headers: Readonly<Record<string, string>>
  /**
   * One event as the chat chunk that says the same, as far as the gateway needs to know.
   * @param answered more than thoughts has come: what repeats it says nothing new
   */
  readEvent(event: JsonObject, answered: boolean): JsonObject | 'error'
  /**
   * Where an event that brings a piece of text differs from the next one of its kind, the text first; null = it brings
   * none. Whatever else it says is then said again, and changes nothing.
   */
  varying(event: JsonObject): readonly Path[] | null
  /** Clients tell events apart by the line with their name, not by their data. */
  goesByNames: boolean
  /** A whole answer as the events of a stream, each with its type. */
  unfold(answer: JsonObject): readonly JsonObject[]
  createFold(): NativeFold
  /** A whole answer as such chunks; null where it is none. */
  readWhole(answer: JsonObject): readonly JsonObject[] | null
  /** For the events of one answer, in order: what clients of this API would choke on in each. */
  createMender?(): (event: JsonObject) => Mended
  /** Nothing of the answer comes after this event. */
  isEnd(event: JsonObject): boolean
  /** The id by which a later request may refer to the answer, where an event or a whole answer tells it. */
  answerIdOf(event: JsonObject): string | null
}
