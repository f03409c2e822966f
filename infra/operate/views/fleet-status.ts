import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import type { Settings } from '../../../lambdas/core/settings/settings.ts'
import { overridesOf } from '../../../lambdas/engine/memory/change-overrides.ts'
import { itemAt } from '../../../lambdas/engine/memory/change-item.ts'
import type { SettingsItem } from '../../../lambdas/store/state-item.ts'
import { fleetTools } from '../fleet/fleet-tools.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import { overrideLines } from './override-lines.ts'
import { type Paint, oneLine } from '../../terminal/paint.ts'
import { quotaTable } from './quota-table.ts'
import { statusTable } from './status-table.ts'

/** All that `npm run status` shows. */
export type FleetStatus = {
  rows: readonly EndpointRow[]
  mode: 'normal' | 'degraded'
  overrides: SettingsItem['overrides']
  /** What the overrides override. */
  settings: Settings
  healthDisabled: boolean
  /** What the configuration says and the gateway does not do. */
  warnings: readonly string[]
}

/** Asks the gateway for its rows, and the table for the rest. */
export async function readFleetStatus(fleet: OpenFleet, signal?: AbortSignal): Promise<FleetStatus> {
  // The table first: where it is away, that is the reason why the gateway cannot tell its rows either.
  const tools = await fleetTools(fleet)
  const rows = await fleet.rows(signal)
  return {
    rows,
    mode: itemAt(tools.view.known(), 'mode', 'mode')?.mode.state ?? 'normal',
    overrides: overridesOf(tools),
    settings: fleet.settings,
    healthDisabled: tools.settings().endpoint_health_disabled,
    warnings: fleet.warnings,
  }
}

/** The status as lines for people: the fleet, its endpoints, and the overrides in force. */
export function statusLines(
  status: FleetStatus,
  view: { now: number; width: number; paint: Paint },
): string[] {
  const { rows, overrides, settings, healthDisabled, warnings } = status
  const { paint } = view
  return [
    headline(status, paint),
    ...(healthDisabled
      ? [
          paint(
            'yellow',
            'endpoint_health_disabled is on: endpoint health is neither recorded nor used, and nothing is probed.',
          ),
        ]
      : []),
    ...warnings.map(warning => paint('yellow', oneLine(warning))),
    '',
    ...statusTable(rows, view),
    ...quotaTable(rows, view),
    ...(Object.keys(overrides).length > 0 ? ['', ...overrideLines(overrides, settings, paint)] : []),
  ]
}

function headline({ rows, mode }: FleetStatus, paint: Paint): string {
  const providersOf = (some: readonly EndpointRow[]): number => new Set(some.map(row => row.provider)).size
  const keyed = providersOf(rows.filter(row => !row.missing_key))
  const usable = providersOf(rows.filter(row => row.usable))
  const shownMode = paint(mode === 'normal' ? 'green' : 'red', mode)
  return `Mode: ${shownMode}. ${usable} of ${keyed} ${keyed === 1 ? 'provider' : 'providers'} usable.`
}

/** What must differ for a status to be news: not the clock, and not the counters of a busy fleet. */
export function newsOf({ rows, mode, overrides, healthDisabled }: FleetStatus): string {
  const states = rows.map(row => ({
    ...row,
    successes: null,
    failures: null,
    quotas: row.quotas.map(({ left, key, name }) => ({ key, name, isSpent: left <= 0 })),
  }))
  return JSON.stringify([states, mode, overrides, healthDisabled])
}
