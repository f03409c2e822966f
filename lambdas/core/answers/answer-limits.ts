/** Far past what any model gives; what is larger is an attack or a fault, and must not cost other requests. */
export const MOST_CHOICES = 128
export const MOST_TOOL_CALLS = 1_024
export const MOST_FIELDS = 4_096
/** Different names of fields in one event: the parser itself is slow with more. */
export const MOST_NAMES = 16_384
/** Objects, lists and strings in one event: the parser cannot be interrupted. */
export const MOST_VALUES = 262_144
/** Documents glued together in one event. */
export const MOST_PIECES = 1_024

/** Thrown when an answer has more of something than is taken. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError'
}

/** Throws `AnswerLimitError` where an object has more fields than any answer; reads no more of them than that. */
export function limitFields(object: object): void {
  let count = 0
  for (const _ in object) if ((count += 1) > MOST_FIELDS) limit(count, MOST_FIELDS, 'fields')
}

/** Throws `AnswerLimitError` past the limit. */
export function limit(count: number, most: number, what: string): void {
  if (count > most) throw new AnswerLimitError(`The answer has more than ${most} ${what}.`)
}
