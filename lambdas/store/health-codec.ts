import * as z from 'zod/mini'
import { byHandOf, type DayCount } from '../core/health/health.ts'
import { instant, kind } from './breaker-codec.ts'
import type { EndpointItem } from './state-item.ts'

const count = z.int().check(z.gte(0))

/**
 * `h` the state, `s` since, `d` when the next probe is due, `f` failed probes in a row, `k` the kind of failure, `l` the
 * lease, `n` the probes of a day, `q` how many a day at most, `o` and `on` the last one that a request waited for and those of its day,
 * `b` the reason of a quarantine by hand.
 */
const stored = z.object({
  h: z.enum(['s', 'q']),
  s: instant,
  d: instant,
  f: z.optional(count),
  k: kind,
  l: z.optional(instant),
  n: z.optional(count),
  q: z.optional(count),
  o: z.optional(instant),
  on: z.optional(count),
  b: z.optional(z.string()),
})

/** As the version before wrote it. */
const before = z.object({
  health: z.object({
    state: z.enum(['suspect', 'quarantined']),
    since: instant,
    probe: z.object({ dueAt: instant, failures: count }),
    failure: z.object({ kind }),
  }),
  leaseUntil: instant,
})

const NONE: DayCount = { day: 0, count: 0 }
const COUNTS = 10_000

const packed = ({ day, count: calls }: DayCount): number => day * COUNTS + Math.min(calls, COUNTS - 1)
const unpacked = (number: number | undefined): DayCount =>
  number === undefined ? NONE : { day: Math.floor(number / COUNTS), count: number % COUNTS }

type Value = Pick<EndpointItem, 'health' | 'leaseUntil'>

export function encodeHealth({ health, leaseUntil }: Value): Record<string, unknown> {
  const { state, since, probe, cause } = health
  const byHand = byHandOf(health)
  return {
    h: state === 'suspect' ? 's' : 'q',
    s: since,
    d: probe.dueAt,
    k: cause,
    ...(probe.failures > 0 && { f: probe.failures }),
    ...(leaseUntil > 0 && { l: leaseUntil }),
    ...(probe.sent.count > 0 && { n: packed(probe.sent) }),
    ...(probe.mostADay !== undefined && { q: probe.mostADay }),
    ...(probe.onDemand.at > 0 && { o: probe.onDemand.at, on: packed(probe.onDemand) }),
    ...(byHand !== undefined && { b: byHand }),
  }
}

/** What an item says of an endpoint's health; null where it makes no sense. */
export function decodeHealth(attributes: Record<string, unknown>): Value | null {
  const now = stored.safeParse(attributes)
  if (now.success) {
    const { h, s, d, f = 0, k, l = 0, n, q, o = 0, on, b } = now.data
    const probe = {
      dueAt: d,
      failures: f,
      sent: unpacked(n),
      onDemand: { ...unpacked(on), at: o },
      ...(q !== undefined && { mostADay: q }),
    }
    return {
      health:
        h === 's'
          ? { state: 'suspect', since: s, probe, cause: k }
          : { state: 'quarantined', since: s, probe, cause: k, ...(b !== undefined && { byHand: b }) },
      leaseUntil: l,
    }
  }
  const old = before.safeParse(attributes)
  if (!old.success) return null
  const { state, since, probe, failure } = old.data.health
  const plan = { ...probe, sent: NONE, onDemand: { ...NONE, at: 0 } }
  return { health: { state, since, probe: plan, cause: failure.kind }, leaseUntil: old.data.leaseUntil }
}
