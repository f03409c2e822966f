import * as z from 'zod/mini'
import type { ResponseKey } from '../core/item-keys.ts'
import type { TableItem } from './item-codec.ts'

/** Where the state behind an answer is. */
export type ResponseRecord = {
  /** The endpoint's id. */
  endpoint: string
  /** Fingerprint of the key; null where none was sent. */
  key: string | null
  /** Epoch seconds. */
  expiresAt: number
}

/** The sort key of an answer's only item. */
export const RESPONSE_ITEM = 'endpoint'

const schema = z.object({ endpoint: z.string(), key: z.nullable(z.string()), expiresAt: z.number() })

/** An answer's record as the table holds it. */
export const encodeResponse = (pk: ResponseKey, record: ResponseRecord): TableItem => ({
  pk,
  sk: RESPONSE_ITEM,
  ...record,
})

/** A record of the table, or null where it makes no sense. */
export function decodeResponse(item: TableItem): ResponseRecord | null {
  const parsed = schema.safeParse(item)
  return parsed.success ? parsed.data : null
}
