/** What the runtime offers beyond the library types: numbers as text. https://github.com/tc39/proposal-json-parse-with-source */
const json = JSON as Omit<typeof JSON, 'parse'> & {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
  parse(
    text: string,
    reviver?: (name: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}

/** Digits or an exponent that a double may not hold; strings that look like it cost no more than time. */
const MAY_LOSE_DIGITS = /\d{16}|[eE]\+?\d{3}/
const INTEGER = /^-?\d+$/

/** A number that would be written as another one is kept as it was written. */
function keepDigits(_: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  const isOther = INTEGER.test(source) ? String(value) !== source : !Number.isFinite(value)
  return isOther ? json.rawJSON(source) : value
}

/**
 * Parses JSON so that writing it out again changes no number: integers past 2^53 become opaque values that
 * `JSON.stringify` writes as they came, and that are no JSON objects to `isJsonObject`. Throws as `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  return MAY_LOSE_DIGITS.test(text) ? json.parse(text, keepDigits) : json.parse(text)
}

/** Whether a value stands for a number by its text. */
export const isExactNumber = (value: object): boolean => json.isRawJSON(value)
