import { createHash } from 'node:crypto'
import { parseJsonObject, type JsonObject } from '../../../core/json.ts'

/** Loaded when something is compressed, which little is: it takes a twentieth of a cold start. */
const zlib = () => process.getBuiltinModule('node:zlib')

const MAX_ID_CHARACTERS = 16 * 1024
const MAX_ITEM_BYTES = 256 * 1024
/** In every id that is given out here, and in no other. */
const OURS = '_bs_'
/** Between the beginning of such an id and the item that it carries. */
const KEPT = '_kept_'
const OUR_ID = /^(?:msg|rs|fc|ctc|tsc)_bs_/

const PREFIXES = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
} as const

export type ItemType = keyof typeof PREFIXES

/** An id for one item of an answer: the same for the same answer and place. */
export function plainItemId(type: ItemType, responseId: string, place: number): string {
  const hash = createHash('sha256').update(`${responseId} ${place}`).digest('hex').slice(0, 40)
  return `${PREFIXES[type]}${OURS}${hash}`
}

/**
 * An id that carries its item, compressed, so that a client may refer to it later although nothing is stored here;
 * a plain one where the item is too large for that.
 */
export function keepingItemId(
  item: JsonObject & { type: ItemType },
  responseId: string,
  place: number,
): string {
  const text = zlib().deflateRawSync(JSON.stringify(item)).toString('base64url')
  const plain = plainItemId(item.type, responseId, place)
  const id = `${plain.slice(0, 24)}${KEPT}${text}`
  return id.length <= MAX_ID_CHARACTERS ? id : plain
}

/** An id that a translation gave out: no provider knows it. */
export const isOurItemId = (id: string): boolean => OUR_ID.test(id)

/** The item that an id carries; null where it carries none. */
export function readItemId(id: string): JsonObject | null {
  const mark = id.indexOf(KEPT)
  if (mark < 0 || !isOurItemId(id) || id.length > MAX_ID_CHARACTERS) return null
  try {
    const bytes = Buffer.from(id.slice(mark + KEPT.length), 'base64url')
    return (
      parseJsonObject(zlib().inflateRawSync(bytes, { maxOutputLength: MAX_ITEM_BYTES }).toString('utf8')) ??
      null
    )
  } catch {
    // Another gateway's id, or one that was cut on the way.
    return null
  }
}
