import * as z from 'zod/mini'
import type { SessionKey } from '../core/item-keys.ts'
import type { TableItem } from './item-codec.ts'

/** Which tool calls of a session have run. */
export type SessionRecord = {
  /** The newest last. */
  finished: readonly string[]
  /** Counts the writes; every one is on condition of the version that was read. */
  version: number
  /** Epoch seconds. */
  expiresAt: number
}

/** The sort key of a session's only item. */
export const SESSION_ITEM = 'tools'

const schema = z.object({ finished: z.array(z.string()), version: z.int(), expiresAt: z.number() })

/** A session's record as the table holds it. */
export const encodeSession = (pk: SessionKey, record: SessionRecord): TableItem => ({
  pk,
  sk: SESSION_ITEM,
  ...record,
})

/** A record of the table, or null where it makes no sense. */
export function decodeSession(item: TableItem): SessionRecord | null {
  const parsed = schema.safeParse(item)
  return parsed.success ? parsed.data : null
}
