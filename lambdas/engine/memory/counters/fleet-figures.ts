import type { EndpointId } from '../../../core/endpoint.ts'
import { endpointKey } from '../../../core/item-keys.ts'
import { endpointFigures, type EndpointFigures } from '../../../core/routing/endpoint-figures.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { FleetStore, Stats } from '../../../store/fleet-store.ts'
import type { StatsWriter } from './stats-writer.ts'
import { withCounts } from './waiting-counts.ts'

/** What the fleet has counted of each endpoint, as this instance knows it: never waited for. */
export type FleetFigures = {
  /** Reads the counters where that is due. Never rejects: without the table the figures known so far remain. */
  refresh(): Promise<void>
  /** Every item of counters, read now. Rejects with `StoreError`. */
  all(): Promise<ReadonlyMap<string, Stats>>
  /** Every item of counters as the last read had it, however long ago. */
  last(): ReadonlyMap<string, Stats>
  /** By endpoint, with what this instance has counted itself. */
  known: { get(endpoint: EndpointId): EndpointFigures | undefined }
}

const EVERY_MS = 60_000
/** A read that has just begun serves everybody. */
const SHARED_MS = 1_000
/** A request may use figures that are so old: they change slowly, and take a moment to add up. */
const FRESH_MS = 1_000

type Added = { figures: EndpointFigures | undefined; at: number }

export function createFleetFigures(store: FleetStore, clock: Clock, stats: StatsWriter): FleetFigures {
  let counted: ReadonlyMap<string, Stats> = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let pending: { startedAt: number; found: Promise<ReadonlyMap<string, Stats>> } | null = null
  const added = new Map<EndpointId, Added>()

  async function read(startedAt: number): Promise<ReadonlyMap<string, Stats>> {
    const found = await store.readStats()
    if (startedAt > readAt) {
      counted = found
      readAt = startedAt
      added.clear()
    }
    return found
  }

  function all(): Promise<ReadonlyMap<string, Stats>> {
    const now = clock.now()
    if (pending && now - pending.startedAt < SHARED_MS) return pending.found
    triedAt = now
    const found = read(now)
    pending = { startedAt: now, found }
    const ended = (): void => {
      if (pending?.found === found) pending = null
    }
    found.then(ended, ended)
    return found
  }

  /** The newer of what the table held and what a write of this instance has returned, and what is not written yet. */
  function figuresOf(endpoint: EndpointId, now: number): EndpointFigures | undefined {
    const own = stats.own(endpoint)
    const read = counted.get(endpointKey(endpoint))?.counters
    const item = own.item && (own.item.at > readAt || !read) ? own.item.counters : read
    const counters = withCounts(item ?? {}, own.untold)
    return Object.keys(counters).length === 0 ? undefined : endpointFigures(counters, now)
  }

  return {
    all,
    last: () => counted,
    async refresh() {
      if (clock.now() - triedAt < EVERY_MS) return
      // The look at the state, beside it, reports that the table is away.
      await all().catch(() => undefined)
    },
    known: {
      get(endpoint) {
        const now = clock.now()
        const before = added.get(endpoint)
        if (before && now - before.at < FRESH_MS) return before.figures
        const figures = figuresOf(endpoint, now)
        added.set(endpoint, { figures, at: now })
        return figures
      },
    },
  }
}
