import { isExactNumber } from '../../exact-json.ts'
import type { Json } from '../../json.ts'

/** An answer's id as clients check it: some hosts count, and typed clients throw a number away with its chunk. */
export function idAsText(id: Json | undefined): Json | undefined {
  const isNumber = typeof id === 'number' || (typeof id === 'object' && id !== null && isExactNumber(id))
  return isNumber ? JSON.stringify(id) : id
}
