import * as z from 'zod/mini'
import type { ResponseKey, SessionKey } from '../core/item-keys.ts'
import type { TableItem } from './item-codec.ts'

/** Where the state behind an answer is, or a conversation was served last. */
export type HolderRecord = {
  /** The endpoint's id. */
  endpoint: string
  /** Fingerprint of the key; null where none was sent. */
  key: string | null
  /** Epoch seconds. */
  expiresAt: number
}

export type HolderKey = ResponseKey | SessionKey

/** The sort key: of an answer's only item, and of the one that a session has beside its tool calls. */
export const holderItemOf = (pk: HolderKey): string => (pk.startsWith('session#') ? 'sticky' : 'endpoint')

const schema = z.object({ endpoint: z.string(), key: z.nullable(z.string()), expiresAt: z.number() })

/** Such a record as the table holds it. */
export const encodeHolder = (pk: HolderKey, record: HolderRecord): TableItem => ({
  pk,
  sk: holderItemOf(pk),
  ...record,
})

/** A record of the table, or null where it makes no sense. */
export function decodeHolder(item: TableItem): HolderRecord | null {
  const parsed = schema.safeParse(item)
  return parsed.success ? parsed.data : null
}
