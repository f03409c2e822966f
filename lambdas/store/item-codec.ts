import * as z from 'zod/mini'
import { CAPABILITY_NAMES } from '../core/capabilities.ts'
import { isBreakerKey, type EndpointKey } from '../core/item-keys.ts'
import { decodeBreaker, encodeBreaker, instant } from './breaker-codec.ts'
import { decodeHealth, encodeHealth } from './health-codec.ts'
import type { StateItem } from './state-item.ts'

const fieldName = z.string().check(z.regex(/^[a-z]\w{0,63}$/i))
/** What an endpoint has asked for in another way. */
export const dialectSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('renamed'), name: fieldName, to: fieldName }),
  z.object({ what: z.enum(['joined_texts', 'no_empty_texts']) }),
])
/** What an endpoint has refused, and until when that is believed. */
export const rememberedSchema = z.discriminatedUnion('what', [
  z.object({ what: z.enum(CAPABILITY_NAMES), until: instant }),
  z.object({ what: z.enum(['param', 'droppable']), name: fieldName, until: instant }),
  z.object({ what: z.literal('renamed'), name: fieldName, to: fieldName, until: instant }),
  z.object({ what: z.enum(['joined_texts', 'no_empty_texts']), until: instant }),
  z.object({ what: z.literal('context'), window: z.int().check(z.gte(1)), until: instant }),
  z.object({ what: z.literal('output'), most: z.int().check(z.gte(1)), until: instant }),
])
const mode = z.discriminatedUnion('state', [
  z.object({ state: z.literal('normal'), fewSince: z.nullable(instant) }),
  z.object({ state: z.literal('degraded'), since: instant, enoughSince: z.nullable(instant) }),
])

const commonSchema = z.object({ version: z.int(), expiresAt: z.nullable(z.number()) })
const common = commonSchema.shape
const key = (prefix: string) => z.string().check(z.startsWith(prefix))

/** Items that are written as they are. */
const plainSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('capability'),
    key: key('capability#'),
    ...common,
    refusals: z.array(rememberedSchema),
  }),
  z.object({ kind: z.literal('quota'), key: key('quota#'), ...common }),
  z.object({
    kind: z.literal('settings'),
    key: z.literal('settings'),
    ...common,
    overrides: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    secretChangedAt: z.optional(instant),
  }),
  z.object({ kind: z.literal('mode'), key: z.literal('mode'), ...common, mode }),
])

export type TableItem = Record<string, unknown>

function valueOf(item: StateItem): TableItem {
  switch (item.kind) {
    case 'endpoint':
      return encodeHealth(item)
    case 'breaker':
      return encodeBreaker(item)
    default: {
      const { key: _, version: __, expiresAt: ___, ...rest } = item
      return rest
    }
  }
}

/** An item as the table holds it. An absent `expiresAt` never expires. */
export function encodeStateItem(item: StateItem): TableItem {
  const { key: sk, version, expiresAt } = item
  return { pk: 'state', sk, version, ...valueOf(item), ...(expiresAt === null ? {} : { expiresAt }) }
}

/** Breakers and cooldowns of the version before: they end within a day, and are learned anew until then. */
const isOutdated = (sk: string): boolean =>
  sk.startsWith('cooldown#') || (sk.startsWith('breaker#') && !isBreakerKey(sk))

const isEndpointKey = (sk: string): sk is EndpointKey => sk.startsWith('endpoint#')

/**
 * An item of the table: null where it makes no sense (someone else's hand, or a newer version of us), 'outdated' where
 * the version before wrote it and it will expire.
 */
export function decodeStateItem({ sk, expiresAt = null, ...rest }: TableItem): StateItem | 'outdated' | null {
  if (typeof sk !== 'string') return null
  if (isOutdated(sk)) return 'outdated'
  const shared = commonSchema.safeParse({ version: rest['version'], expiresAt })
  if (shared.success && isBreakerKey(sk)) {
    const value = decodeBreaker(rest)
    return value && { kind: 'breaker', key: sk, ...shared.data, ...value }
  }
  if (shared.success && isEndpointKey(sk)) {
    const value = decodeHealth(rest)
    return value && { kind: 'endpoint', key: sk, ...shared.data, ...value }
  }
  const parsed = plainSchema.safeParse({ ...rest, key: sk, expiresAt })
  return parsed.success ? (parsed.data as StateItem) : null
}
