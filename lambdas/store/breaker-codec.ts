import * as z from 'zod/mini'
import type { Breaker } from '../core/health/breaker.ts'
import { FAILURE_KINDS } from '../core/failures/kinds.ts'
import type { BreakerItem } from './state-item.ts'

/** What `Date` can hold: a number beyond it was written by mistake, and would bar something for ever. */
export const instant = z.number().check(z.gte(0), z.lte(8.64e15))
export const kind = z.enum(FAILURE_KINDS)
const span = z.number().check(z.gte(-8.64e15), z.lte(8.64e15))
const flag = z.optional(z.literal(1))

/**
 * Names are short and instants are told from the first one of their part, because hundreds of such items are read at
 * once: `g…` the guess (until, kind, step, opened and since before that), `w…` the stated wait, `t…` the trial, `x` the
 * last one as last resort, `m` the mark, `c` the causes.
 */
const stored = z.object({
  g: z.optional(instant),
  gk: z.optional(kind),
  gn: z.optional(z.int()),
  go: z.optional(span),
  gs: z.optional(span),
  gc: flag,
  w: z.optional(instant),
  wk: z.optional(kind),
  wa: z.optional(span),
  t: z.optional(instant),
  tl: z.optional(span),
  te: flag,
  x: z.optional(instant),
  m: z.optional(instant),
  c: z.optional(z.string().check(z.regex(/^[0-9a-f,]{1,64}$/))),
})

export type StoredBreaker = z.infer<typeof stored>

const MOST_CAUSES = 4

/** A breaker's own attributes, absent where they say nothing. */
export function encodeBreaker({
  breaker,
  failuresUntil,
  causes,
}: Omit<BreakerItem, 'kind' | 'key' | 'version' | 'expiresAt'>): StoredBreaker {
  const marks: StoredBreaker = {
    ...(failuresUntil > 0 && { m: failuresUntil }),
    ...(causes.length > 0 && { c: causes.slice(0, MOST_CAUSES).join(',') }),
  }
  if (breaker.state === 'closed') return marks
  const { guess, stated } = breaker
  return {
    ...marks,
    ...(guess && {
      g: guess.until,
      gk: guess.kind,
      gn: guess.step,
      go: guess.until - guess.openedAt,
      gs: guess.until - guess.since,
      ...(guess.slots && { gc: 1 }),
    }),
    ...(stated && { w: stated.until, wk: stated.kind, wa: stated.until - stated.at }),
    ...(breaker.state === 'open' && breaker.triedAt !== null && { x: breaker.triedAt }),
    ...(breaker.state === 'half-open' && {
      t: breaker.trial.at,
      tl: breaker.trial.leaseUntil - breaker.trial.at,
      ...(breaker.trial.early && { te: 1 }),
    }),
  }
}

function breakerOf({
  g,
  gk,
  gn = 0,
  go = 0,
  gs = 0,
  gc,
  w,
  wk,
  wa = 0,
  t,
  tl = 0,
  te,
  x,
}: StoredBreaker): Breaker {
  const guess =
    g === undefined || gk === undefined
      ? null
      : { kind: gk, step: gn, since: g - gs, openedAt: g - go, until: g, slots: gc === 1 }
  const stated = w === undefined || wk === undefined ? null : { kind: wk, until: w, at: w - wa }
  if (guess && t !== undefined) {
    return { state: 'half-open', guess, stated, trial: { at: t, leaseUntil: t + tl, early: te === 1 } }
  }
  return guess || stated ? { state: 'open', guess, stated, triedAt: x ?? null } : { state: 'closed' }
}

/** What an item says of its breaker; null where it makes no sense. */
export function decodeBreaker(
  attributes: Record<string, unknown>,
): Pick<BreakerItem, 'breaker' | 'failuresUntil' | 'causes'> | null {
  const parsed = stored.safeParse(attributes)
  if (!parsed.success) return null
  const { m = 0, c } = parsed.data
  return { breaker: breakerOf(parsed.data), failuresUntil: m, causes: c === undefined ? [] : c.split(',') }
}
