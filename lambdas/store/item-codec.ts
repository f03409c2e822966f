import * as z from 'zod/mini'
import { CAPABILITY_NAMES } from '../core/capabilities.ts'
import { FAILURE_KINDS } from '../core/failures/kinds.ts'
import type { StateItem } from './state-item.ts'

/** What `Date` can hold: a number beyond it was written by mistake, and would bar something for ever. */
const instant = z.number().check(z.gte(0), z.lte(8.64e15))
const count = z.int().check(z.gte(0))
const kind = z.enum(FAILURE_KINDS)
const probe = z.object({ dueAt: instant, failures: count })
const failure = z.object({ kind, status: z.nullable(z.number()), message: z.string(), at: instant })
const illness = { since: instant, probe, failure }
const health = z.discriminatedUnion('state', [
  z.object({ state: z.literal('suspect'), ...illness }),
  z.object({ state: z.literal('quarantined'), ...illness }),
])
const breaker = z.discriminatedUnion('state', [
  z.object({ state: z.literal('closed') }),
  z.object({ state: z.literal('open'), openedAt: instant }),
  z.object({
    state: z.literal('half-open'),
    openedAt: instant,
    trialStartedAt: instant,
    leaseUntil: instant,
  }),
])
const cooldown = z.object({
  until: instant,
  step: z.nullable(count),
  kind,
  at: instant,
  stated: z.boolean(),
  request: z.string(),
})
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
])
const mode = z.discriminatedUnion('state', [
  z.object({ state: z.literal('normal'), fewSince: z.nullable(instant) }),
  z.object({ state: z.literal('degraded'), since: instant, enoughSince: z.nullable(instant) }),
])

const common = { version: z.int(), expiresAt: z.nullable(z.number()) }
const key = (prefix: string) => z.string().check(z.startsWith(prefix))

const stateItemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('endpoint'), key: key('endpoint#'), ...common, health, leaseUntil: instant }),
  z.object({ kind: z.literal('breaker'), key: key('breaker#'), ...common, breaker, failuresUntil: instant }),
  z.object({ kind: z.literal('cooldown'), key: key('cooldown#'), ...common, cooldown }),
  z.object({
    kind: z.literal('capability'),
    key: key('capability#'),
    ...common,
    refusals: z.array(rememberedSchema),
  }),
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

/** An item as the table holds it. An absent `expiresAt` never expires. */
export function encodeStateItem({ key: sk, expiresAt, ...rest }: StateItem): TableItem {
  return { pk: 'state', sk, ...rest, ...(expiresAt === null ? {} : { expiresAt }) }
}

/** An item of the table, or null where it makes no sense: someone else's hand, or a newer version of us. */
export function decodeStateItem({ sk, expiresAt = null, ...rest }: TableItem): StateItem | null {
  const parsed = stateItemSchema.safeParse({ ...rest, key: sk, expiresAt })
  return parsed.success ? (parsed.data as StateItem) : null
}
