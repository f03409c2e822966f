/** Far past what any model gives; what is larger is an attack or a fault, and must not cost other requests. */
export const MOST_CHOICES = 128
export const MOST_TOOL_CALLS = 1_024
export const MOST_FIELDS = 4_096

/** Thrown when an answer has more of something than is taken. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError'
}

/** Throws `AnswerLimitError` past the limit. */
export function limit(count: number, most: number, what: string): void {
  if (count > most) throw new AnswerLimitError(`The answer has more than ${most} ${what}.`)
}
