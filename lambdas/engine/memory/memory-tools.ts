import type { Log } from '../../core/log-event.ts'
import { effectiveSettings } from '../../core/settings/effective-settings.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetStore } from '../../store/fleet-store.ts'
import { itemAt, type ChangeTools } from './change-item.ts'
import { createFleetFigures, type FleetFigures } from './counters/fleet-figures.ts'
import { createFleetView } from './fleet-view.ts'
import { createStatsWriter, type StatsWriter } from './counters/stats-writer.ts'
import { createOwnNetworkCheck, type OwnNetworkCheck } from './own-network.ts'

export type MemoryOptions = {
  store: FleetStore
  clock: Clock
  /** Every configured endpoint, once. */
  endpoints: readonly Endpoint[]
  /** As they are known now: a secret may change while an instance lives. */
  keys(): Snapshot['keys']
  /** Without the operator's overrides. */
  settings: Settings
  log: Log
}

/** What every part of the fleet's memory works with. */
export type MemoryTools = ChangeTools &
  Pick<MemoryOptions, 'endpoints' | 'keys' | 'log'> & {
    stats: StatsWriter
    figures: FleetFigures
    ownNetwork: OwnNetworkCheck
    /** As they are in force now: the operator's overrides over all else. */
    settings(): Settings
    /** The table could not be used: logged and counted, because requests go on without it. */
    stateError(error: unknown): void
  }

/** The parts of one instance's memory, wired together. */
export function createMemoryTools(options: MemoryOptions): MemoryTools {
  const { store, clock, endpoints, keys, log } = options
  const stateError = (error: unknown): void =>
    log({ event: 'state-error', error: error instanceof Error ? error.message : String(error) })
  const view = createFleetView(store, clock, {
    error: stateError,
    garbage: count => log({ event: 'state-garbage', count }),
  })
  const reported = new Set<string>()
  function settings(): Settings {
    const overrides = itemAt(view.known(), 'settings', 'settings')?.overrides
    if (!overrides) return options.settings
    const { settings: effective, ignored } = effectiveSettings(options.settings, overrides)
    for (const name of ignored) {
      if (!reported.has(name)) log({ event: 'override-ignored', name })
      reported.add(name)
    }
    return effective
  }
  const stats = createStatsWriter(store, clock, settings)
  const figures = createFleetFigures(store, clock, stats)
  const ownNetwork = createOwnNetworkCheck(clock, new Set(endpoints.map(({ provider }) => provider)).size < 2)
  return { store, view, clock, stats, figures, ownNetwork, endpoints, keys, settings, log, stateError }
}
