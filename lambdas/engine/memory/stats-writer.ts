import type { StatsKey } from '../../core/item-keys.ts'
import { breakerKey, endpointKey } from '../../core/item-keys.ts'
import type { Tally } from '../../core/health/breaker.ts'
import {
  BENCH_WINDOW,
  DAY_WINDOW,
  breakerWindow,
  bucketsOf,
  counterName,
  evidenceWindow,
  type CounterKind,
} from '../../core/health/counter-names.ts'
import type { EndpointId } from '../../core/endpoint.ts'
import type { Settings } from '../../core/settings/settings.ts'
import {
  bucketAt,
  expiredBuckets,
  liveBuckets,
  sumWindow,
  type WindowShape,
} from '../../core/health/window.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Counters, FleetStore } from '../../store/fleet-store.ts'

/** Counters of the table, and the successes that wait to be written with the next failure or flush. */
export type StatsWriter = {
  succeeded(endpoint: EndpointId, provider: string, firstTokenMs: number): void
  /**
   * Counts a failure, with the successes seen since the last write; returns what the windows hold now. `asked` = a
   * user's request failed there.
   */
  failed(
    endpoint: EndpointId,
    blame: { evidence: number; bench: boolean; asked: boolean },
  ): Promise<{ evidence: number; bench: number }>
  providerFailed(provider: string): Promise<Tally>
  /** Writes the waiting successes: all of them, or only those of providers whose window holds failures. */
  flush(onlyMarked: ((provider: string) => boolean) | null): Promise<void>
  /** Forgets a provider's window: its breaker has closed. */
  resetProvider(provider: string): Promise<void>
  /** Forgets the evidence against an endpoint, and what counts towards its bench. */
  resetEvidence(endpoint: EndpointId): Promise<void>
  /** Forgets what counts towards an endpoint's bench. */
  resetBench(endpoint: EndpointId): Promise<void>
}

type Waiting = {
  provider: string
  add: Record<string, number>
  /** When the last success came. */
  at: number
  /** There were failures when it came, so that it is certain what it empties. */
  empties: boolean
}

const DAY_MS = 86_400_000
/** A success that waited longer, in a frozen instance, may be older than the evidence of others. */
const EMPTIES_MS = 10_000

function bump(counters: Record<string, number>, name: string, by: number): void {
  counters[name] = (counters[name] ?? 0) + by
}

export function createStatsWriter(store: FleetStore, clock: Clock, settings: () => Settings): StatsWriter {
  const endpoints = new Map<EndpointId, Waiting>()
  const providers = new Map<string, Record<string, number>>()
  /** What each item held when it was last written: tells which buckets can go. */
  const seen = new Map<StatsKey, Counters>()

  const shapeOf = (kind: CounterKind): WindowShape => {
    if (kind === 'evidence') return evidenceWindow(settings().endpoint_window_ms)
    if (kind === 'bench') return BENCH_WINDOW
    return kind === 'ok' || kind === 'failed' ? breakerWindow(settings().breaker_window_ms) : DAY_WINDOW
  }
  const nameNow = (kind: CounterKind): string => counterName(kind, bucketAt(clock.now(), shapeOf(kind)))
  const sumOf = (counters: Counters, kind: CounterKind): number =>
    sumWindow(bucketsOf(counters, kind), clock.now(), shapeOf(kind))
  const expiredOf = (counters: Counters, kind: CounterKind): string[] =>
    expiredBuckets(bucketsOf(counters, kind), clock.now(), shapeOf(kind)).map(bucket =>
      counterName(kind, bucket),
    )
  const liveNames = (kind: CounterKind): string[] =>
    liveBuckets(clock.now(), shapeOf(kind)).map(bucket => counterName(kind, bucket))

  /** What a success empties: an endpoint that answers in between is neither dead nor ill. */
  const emptied = (): string[] => [...liveNames('evidence'), ...liveNames('bench')]

  async function write(
    key: StatsKey,
    kinds: readonly CounterKind[],
    add: Record<string, number>,
    remove: readonly string[] = [],
  ): Promise<Counters> {
    const expired = kinds.flatMap(kind => expiredOf(seen.get(key) ?? {}, kind))
    const gone = [...new Set([...expired, ...remove])].filter(name => !(name in add))
    const counters = await store.addCounts(key, add, gone, clock.now() + 8 * DAY_MS)
    seen.set(key, counters)
    return counters
  }

  const ENDPOINT_KINDS: readonly CounterKind[] = ['evidence', 'bench', 'dayOk', 'dayFailed', 'dayMs']
  const PROVIDER_KINDS: readonly CounterKind[] = ['ok', 'failed']

  function takeEndpoint(endpoint: EndpointId): Waiting | null {
    const waiting = endpoints.get(endpoint) ?? null
    endpoints.delete(endpoint)
    return waiting
  }

  function takeProvider(provider: string): Record<string, number> {
    const add = providers.get(provider) ?? {}
    providers.delete(provider)
    return add
  }

  return {
    succeeded(endpoint, provider, firstTokenMs) {
      const before = endpoints.get(endpoint)
      const add = before?.add ?? {}
      bump(add, nameNow('dayOk'), 1)
      bump(add, nameNow('dayMs'), Math.round(firstTokenMs))
      const known = seen.get(endpointKey(endpoint)) ?? {}
      const empties = before?.empties || sumOf(known, 'evidence') + sumOf(known, 'bench') > 0
      endpoints.set(endpoint, { provider, add, at: clock.now(), empties })
      const counts = providers.get(provider) ?? {}
      bump(counts, nameNow('ok'), 1)
      providers.set(provider, counts)
    },

    async failed(endpoint, { evidence, bench, asked }) {
      const waiting = takeEndpoint(endpoint)
      const add = waiting?.add ?? {}
      if (waiting?.empties) {
        // One write cannot empty a bucket and count in it.
        await write(endpointKey(endpoint), ENDPOINT_KINDS, {}, emptied())
      }
      if (asked) bump(add, nameNow('dayFailed'), 1)
      if (evidence > 0) bump(add, nameNow('evidence'), evidence)
      if (bench) bump(add, nameNow('bench'), 1)
      const counters = await write(endpointKey(endpoint), ENDPOINT_KINDS, add)
      return { evidence: sumOf(counters, 'evidence'), bench: sumOf(counters, 'bench') }
    },

    async providerFailed(provider) {
      const add = takeProvider(provider)
      bump(add, nameNow('failed'), 1)
      const counters = await write(breakerKey(provider), PROVIDER_KINDS, add)
      return { successes: sumOf(counters, 'ok'), failures: sumOf(counters, 'failed') }
    },

    async flush(onlyMarked) {
      const due = (provider: string): boolean => onlyMarked === null || onlyMarked(provider)
      const writes: Promise<unknown>[] = []
      for (const [endpoint, { provider }] of endpoints) {
        if (!due(provider)) continue
        const { add = {}, at = 0, empties = false } = takeEndpoint(endpoint) ?? {}
        const remove = empties || clock.now() - at <= EMPTIES_MS ? emptied() : []
        writes.push(write(endpointKey(endpoint), ENDPOINT_KINDS, add, remove))
      }
      for (const provider of providers.keys()) {
        if (due(provider)) writes.push(write(breakerKey(provider), PROVIDER_KINDS, takeProvider(provider)))
      }
      // All of them end before the instance is frozen, also where one is refused.
      const results = await Promise.allSettled(writes)
      const refused = results.find(result => result.status === 'rejected')
      if (refused) throw refused.reason
    },

    async resetProvider(provider) {
      await write(breakerKey(provider), PROVIDER_KINDS, {}, [...liveNames('ok'), ...liveNames('failed')])
    },

    async resetEvidence(endpoint) {
      await write(endpointKey(endpoint), ENDPOINT_KINDS, {}, emptied())
    },

    async resetBench(endpoint) {
      await write(endpointKey(endpoint), ENDPOINT_KINDS, {}, liveNames('bench'))
    },
  }
}
