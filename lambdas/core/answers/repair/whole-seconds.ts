import type { Json } from '../../json.ts'

/** The time of an answer as typed clients read it, an integer: some hosts send fractions of seconds, or a text. */
export function wholeSeconds(created: Json | undefined): Json | undefined {
  const isText = typeof created === 'string' && /^\d{1,12}(?:\.\d{1,20})?$/.test(created)
  return isText || typeof created === 'number' ? Math.floor(Number(created)) : created
}
