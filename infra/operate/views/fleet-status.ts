import { itemAt } from '../../../lambdas/engine/memory/change-item.ts'
import { overridesOf } from '../../../lambdas/engine/memory/change-overrides.ts'
import { formatSpan } from '../../../lambdas/core/format-span.ts'
import type { Settings } from '../../../lambdas/core/settings/settings.ts'
import type { SettingsItem } from '../../../lambdas/store/state-item.ts'
import { StoreError } from '../../../lambdas/store/store-error.ts'
import type { EndpointsAnswer } from '../../endpoints-contract.ts'
import { describeError } from '../../terminal/command-error.ts'
import { type Paint, oneLine } from '../../terminal/paint.ts'
import { wrapWords } from '../../terminal/wrap-words.ts'
import { fleetTools } from '../fleet/fleet-tools.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import { chainLines } from './chain-lines.ts'
import { modelSummary } from './model-summary.ts'
import { overrideLines } from './override-lines.ts'
import { providerLines } from './provider-lines.ts'
import { quotaTable } from './quota-table.ts'
import { statusTable } from './status-table.ts'

/** All that `npm run status` shows. */
export type FleetStatus = {
  models: EndpointsAnswer['models']
  rows: EndpointsAnswer['data']
  mode: 'normal' | 'degraded'
  overrides: SettingsItem['overrides']
  /** What the overrides override. */
  settings: Settings
  healthDisabled: boolean
  /** What the configuration says and the gateway does not do. */
  warnings: readonly string[]
  /** Why the command cannot read the table itself; null = it can. */
  tableTrouble: string | null
  /** When the gateway read the table last; null = never, undefined = it does not say. */
  tableReadAt: number | null | undefined
} & Pick<OpenFleet, 'stack' | 'call'>

const overridesIn = async (fleet: OpenFleet) => {
  const tools = await fleetTools(fleet)
  return {
    mode: itemAt(tools.view.known(), 'mode', 'mode')?.mode.state ?? ('normal' as const),
    overrides: overridesOf(tools),
    healthDisabled: tools.settings().endpoint_health_disabled,
  }
}

/** Asks the gateway for its models and endpoints, and the table for the rest, where it can be read. */
export async function readFleetStatus(fleet: OpenFleet, signal?: AbortSignal): Promise<FleetStatus> {
  const [table, answer] = await Promise.allSettled([overridesIn(fleet), fleet.describe(signal)])
  // Where the table is away, that is the reason why the gateway cannot tell either.
  if (answer.status === 'rejected') throw table.status === 'rejected' ? table.reason : answer.reason
  if (table.status === 'rejected' && !(table.reason instanceof StoreError)) throw table.reason
  const { models, data: rows, mode, table_read_at: tableReadAt } = answer.value
  const { settings, warnings, stack, call, tableAt } = fleet
  const known = { models, rows, settings, warnings, stack, call, tableReadAt }
  if (table.status === 'fulfilled') return { ...known, tableTrouble: null, ...table.value }
  const { endpoint_health_disabled: healthDisabled } = settings
  const tableTrouble = `The state table at ${tableAt} cannot be read: ${describeError(table.reason)}.`
  return { ...known, mode, overrides: {}, healthDisabled, tableTrouble }
}

/** A look that is older than this has failed since. */
const STALE_MS = 10_000

function staleText(readAt: FleetStatus['tableReadAt'], now: number): string[] {
  if (readAt === undefined || (readAt !== null && now - readAt <= STALE_MS)) return []
  const since =
    readAt === null
      ? 'has not been able to read its table yet'
      : `last read its table ${formatSpan(now - readAt)} ago`
  return [`The gateway ${since}: what follows is what it knows, and goes by.`]
}

/** What people must know before they believe the rest. */
function notices(
  { mode, healthDisabled, warnings, tableTrouble, tableReadAt }: FleetStatus,
  now: number,
): string[] {
  return [
    ...staleText(tableReadAt, now),
    ...(mode === 'degraded' ? ['Mode: degraded. Fewer than half of the providers can be called.'] : []),
    ...(tableTrouble === null
      ? []
      : [`${tableTrouble} What follows is what the gateway knows; overrides are not shown.`]),
    ...(healthDisabled
      ? [
          'endpoint_health_disabled is on: endpoint health is neither recorded nor used, and nothing is probed.',
        ]
      : []),
    ...warnings.map(oneLine),
  ]
}

/** The status as lines for people: which models answer, their chains, endpoints, providers, limits, overrides. */
export function statusLines(
  status: FleetStatus,
  given: { now: number; width: number; paint: Paint; all: boolean },
): string[] {
  const { models, rows, overrides, settings, stack, call } = status
  const view = { ...given, stack, call }
  const { width, paint } = view
  const hops = new Map(models.flatMap(({ chain }) => chain.map(hop => [hop.id, hop])))
  const overriding = Object.keys(overrides).length > 0 ? overrideLines(overrides, settings, paint) : []
  const sections = [
    chainLines(models, view),
    statusTable(rows, hops, view),
    providerLines(models, view),
    quotaTable(rows, view),
    overriding,
  ]
  return [
    ...modelSummary(models, view),
    ...notices(status, given.now).flatMap(notice =>
      wrapWords(notice, width).map(line => paint('yellow', line)),
    ),
    ...sections.flatMap(section => (section.length === 0 ? [] : ['', ...section])),
  ]
}

/** The status for programs. */
export const statusJson = ({
  mode,
  models,
  rows,
  overrides,
  warnings,
  tableTrouble,
}: FleetStatus): object => ({
  mode,
  models,
  data: rows,
  overrides,
  warnings,
  table_trouble: tableTrouble,
})

/** What must differ for a status to be news: not the clock, and not the counters of a busy fleet. */
export function newsOf({ models, rows, mode, overrides, healthDisabled, tableTrouble }: FleetStatus): string {
  const states = rows.map(row => ({
    ...row,
    last_failure: row.last_failure?.kind,
    successes: null,
    failures: null,
    quotas: row.quotas.map(({ left, key, name }) => ({ key, name, isSpent: left <= 0 })),
  }))
  // A test that is due is due now, whenever that is.
  const answering = models.map(model => ({ ...model, next: model.next?.what }))
  return JSON.stringify([answering, states, mode, overrides, healthDisabled, tableTrouble])
}
