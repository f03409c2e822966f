import type { EndpointId } from '../../../core/endpoint.ts'
import {
  FAILURE_COUNTERS,
  SUCCESS_COUNTERS,
  bucketsOf,
  counterName,
  createNames,
  expiredNames,
  namesOf,
  providerTallyOf,
  windowOf,
  type CounterKind,
} from '../../../core/health/counter-names.ts'
import { speedCounts, type MeasuredAnswer } from '../../../core/health/answer-speed.ts'
import type { ProviderTally } from '../../../core/health/provider-tally.ts'
import { modelTag } from '../../../core/health/short-hash.ts'
import { bucketAt, liveBuckets, sumWindow, type WindowShape } from '../../../core/health/window.ts'
import {
  endpointKey,
  providerShardKey,
  providerShardKeys,
  STATS_PARTITIONS,
  type StatsKey,
} from '../../../core/item-keys.ts'
import type { Settings } from '../../../core/settings/settings.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Counters, FleetStore } from '../../../store/fleet-store.ts'
import { createEvidenceLook } from './evidence-look.ts'
import { bump, counted, createWaitingCounts, type OwnCounts } from './waiting-counts.ts'

/** What was counted: by what this instance knows, at once, and by the table. Rejects with `StoreError`. */
export type Counted<Sum> = { local: Sum; written: Promise<Sum> }

export type FailureCounts = { evidence: number; bench: boolean; lastFailure?: string }
type EndpointSums = { evidence: number; bench: number }

/** Counters of the table, and the successes that wait to be written with the next failure or flush. */
export type StatsWriter = {
  succeeded(endpoint: EndpointId, provider: string, answer: MeasuredAnswer): void
  /** A request was not answered there, whatever else follows from that: counted, and in words, with the next write. */
  unanswered(endpoint: EndpointId, lastFailure: string): void
  /** What this instance knows of an endpoint's counters beside the table. */
  own(endpoint: EndpointId): OwnCounts
  /** Counts what a failure proves, with what waits to be written. */
  failed(endpoint: EndpointId, counts: FailureCounts): Counted<EndpointSums>
  /** Counts a failure for the provider's breaker; `wasWell` = the endpoint had answered this instance just before. */
  providerFailed(
    provider: string,
    endpoint: EndpointId,
    ofTheHost: boolean,
  ): Counted<ProviderTally> & { wasWell: boolean }
  /** Writes the waiting successes: all of them, or only those that the breakers of these providers wait for. */
  flush(onlyMarked: ((provider: string) => boolean) | null): Promise<void>
  /** Forgets a provider's window: its breaker has closed. */
  resetProvider(provider: string): Promise<void>
  /** Forgets the evidence against an endpoint, and what counts towards its bench. */
  resetEvidence(endpoint: EndpointId): Promise<void>
  /** Forgets what counts towards an endpoint's bench. */
  resetBench(endpoint: EndpointId): Promise<void>
}

const DAY_MS = 86_400_000
/** A success that waited longer, in a frozen instance, may be older than the evidence of others. */
const EMPTIES_MS = 10_000
/** A window that holds so many samples does not hang on the last second's. */
const CROWDED = 500

export function createStatsWriter(store: FleetStore, clock: Clock, settings: () => Settings): StatsWriter {
  const waiting = createWaitingCounts()
  const providers = new Map<string, Record<string, number>>()
  /** When an endpoint last answered here, if it has not failed since. */
  const answeredAt = new Map<EndpointId, number>()
  /** What each item held when it was last written or read, and what this instance has counted since. */
  const seen = new Map<StatsKey, Counters>()
  /** The items as writes have returned them. */
  const items = new Map<StatsKey, { counters: Counters; at: number }>()
  /** The last failures, until the table has been told: words may be written again where a count may not. */
  const lastFailures = new Map<StatsKey, string>()
  const ownShard = Math.floor(clock.random() * STATS_PARTITIONS)

  const shapeOf = (kind: CounterKind): WindowShape => windowOf(kind, settings())
  const nameAt = createNames()
  const nameNow = (kind: CounterKind, tag?: string): string =>
    nameAt(kind, bucketAt(clock.now(), shapeOf(kind)), tag)
  const sumOf = (counters: Counters, kind: CounterKind): number =>
    sumWindow(bucketsOf(counters, kind), clock.now(), shapeOf(kind))
  const sumsOf = (counters: Counters): EndpointSums => ({
    evidence: sumOf(counters, 'evidence'),
    bench: sumOf(counters, 'bench'),
  })
  const holdsEvidence = createEvidenceLook(counters => {
    const { evidence, bench } = sumsOf(counters)
    return evidence + bench
  })
  const liveNames = (kind: CounterKind): string[] =>
    liveBuckets(clock.now(), shapeOf(kind)).map(bucket => counterName(kind, bucket))

  /**
   * Where many instances share an endpoint, some failures a second may be one in a hundred, and the successes between them
   * wait to be written: only the second failure in a row that an instance sees speaks for more than chance.
   */
  const wasWell = (endpoint: EndpointId): boolean =>
    clock.now() - (answeredAt.get(endpoint) ?? 0) <= EMPTIES_MS

  /** What a success empties: an endpoint that answers in between is healthy. */
  const emptied = (): string[] => [...liveNames('evidence'), ...liveNames('bench')]

  /** Counts here at once, and in the table. What could not be written is not written again: it might count twice. */
  function write(
    key: StatsKey,
    add: Record<string, number>,
    remove: readonly string[] = [],
  ): Counted<Counters> {
    const known = seen.get(key) ?? {}
    const gone = [...new Set([...expiredNames(known, shapeOf, clock.now()), ...remove])]
    const local = counted(known, add, gone)
    seen.set(key, local)
    const told = lastFailures.get(key)
    const written = store.addCounts(key, add, gone, clock.now() + 8 * DAY_MS, told).then(
      counters => {
        if (lastFailures.get(key) === told) lastFailures.delete(key)
        seen.set(key, counters)
        items.set(key, { counters, at: clock.now() })
        return counters
      },
      (error: unknown) => {
        waiting.lose(key, add, counters => expiredNames(counters, shapeOf, clock.now()))
        throw error
      },
    )
    return { local, written }
  }

  const shardOf = (provider: string): StatsKey => providerShardKey(provider, ownShard)

  const tallyOf = (provider: string): ProviderTally =>
    providerTallyOf(
      providerShardKeys(provider).map(key => seen.get(key) ?? {}),
      shapeOf('ok'),
      clock.now(),
    )

  function takeProvider(provider: string): Record<string, number> {
    const add = providers.get(provider) ?? {}
    providers.delete(provider)
    return add
  }

  async function readOtherShards(provider: string): Promise<void> {
    const others = providerShardKeys(provider).filter(key => key !== shardOf(provider))
    const found = await store.readCounts(others)
    for (const [index, key] of others.entries()) seen.set(key, found[index] ?? {})
  }

  return {
    succeeded(endpoint, provider, answer) {
      answeredAt.set(endpoint, clock.now())
      const own = waiting.of(endpoint)
      for (const kind of SUCCESS_COUNTERS) bump(own.add, nameNow(kind), 1)
      for (const { kind, tag, by } of speedCounts(answer)) bump(own.add, nameNow(kind, tag), by)
      own.at = clock.now()
      own.empties ||= holdsEvidence(seen.get(endpointKey(endpoint)))
      const counts = providers.get(provider) ?? {}
      bump(counts, nameNow('ok', modelTag(endpoint)), 1)
      providers.set(provider, counts)
    },

    unanswered(endpoint, lastFailure) {
      const { add } = waiting.of(endpoint)
      for (const kind of FAILURE_COUNTERS) bump(add, nameNow(kind), 1)
      lastFailures.set(endpointKey(endpoint), lastFailure)
    },

    own: endpoint => ({
      item: items.get(endpointKey(endpoint)) ?? null,
      untold: waiting.untold(endpoint),
      lastFailure: lastFailures.get(endpointKey(endpoint)) ?? null,
    }),

    failed(endpoint, { evidence, bench, lastFailure }) {
      const key = endpointKey(endpoint)
      const { add, empties: isCertain } = waiting.take(endpoint)
      if (lastFailure !== undefined) lastFailures.set(key, lastFailure)
      const empties = isCertain ? emptied() : bench && wasWell(endpoint) ? liveNames('bench') : []
      answeredAt.delete(endpoint)
      if (evidence > 0) bump(add, nameNow('evidence'), evidence)
      if (bench) bump(add, nameNow('bench'), 1)
      const { local, written } = write(key, add, empties)
      return { local: sumsOf(local), written: written.then(sumsOf) }
    },

    providerFailed(provider, endpoint, ofTheHost) {
      const add = takeProvider(provider)
      bump(add, nameNow('failed', modelTag(endpoint)), 1)
      if (ofTheHost) bump(add, nameNow('hostFailed', modelTag(endpoint)), 1)
      const { written } = write(shardOf(provider), add)
      const local = tallyOf(provider)
      // Read only after the write: of several instances that count at once, the last one then sees all.
      const summed = written.then(() => readOtherShards(provider)).then(() => tallyOf(provider))
      return { local, written: summed, wasWell: wasWell(endpoint) }
    },

    async flush(onlyMarked) {
      const writes: Promise<unknown>[] = []
      if (!onlyMarked) {
        for (const endpoint of waiting.endpoints()) {
          const { add, at, empties } = waiting.take(endpoint)
          const remove = at !== null && (empties || clock.now() - at <= EMPTIES_MS) ? emptied() : []
          writes.push(write(endpointKey(endpoint), add, remove).written)
        }
      }
      for (const provider of providers.keys()) {
        const isDue = !onlyMarked || (onlyMarked(provider) && !isCrowded(provider))
        if (isDue) writes.push(write(shardOf(provider), takeProvider(provider)).written)
      }
      // All of them end before the instance is frozen, also where one is refused.
      const results = await Promise.allSettled(writes)
      const refused = results.find(result => result.status === 'rejected')
      if (refused) throw refused.reason
    },

    async resetProvider(provider) {
      providers.delete(provider)
      await readOtherShards(provider)
      const resets = providerShardKeys(provider).flatMap(key => {
        const names = namesOf(seen.get(key) ?? {}, ['ok', 'failed', 'hostFailed'])
        return names.length > 0 ? [write(key, {}, names).written] : []
      })
      await Promise.all(resets)
    },

    async resetEvidence(endpoint) {
      await write(endpointKey(endpoint), {}, emptied()).written
    },

    async resetBench(endpoint) {
      await write(endpointKey(endpoint), {}, liveNames('bench')).written
    },
  }

  function isCrowded(provider: string): boolean {
    return [...tallyOf(provider).values()].reduce((sum, { successes }) => sum + successes, 0) > CROWDED
  }
}
