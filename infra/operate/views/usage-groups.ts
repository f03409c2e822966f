import { recordOf } from '../../../lambdas/core/record-of.ts'
import {
  USAGE_COUNTERS,
  type UsageCounter,
  type UsageCounts,
} from '../../../lambdas/core/callers/usage-counts.ts'
import type { UsageRow } from '../../../lambdas/engine/callers/read-usage.ts'
import { CommandError } from '../../terminal/command-error.ts'

const NAMES = Object.keys(USAGE_COUNTERS) as readonly UsageCounter[]

/** By what use can be summed up. */
export const USAGE_GROUPS = ['caller', 'model', 'endpoint', 'day'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** What was used under one name. */
export type UsageSum = { name: string } & UsageCounts

export function parseGroup(text: string): UsageGroup {
  const group = USAGE_GROUPS.find(known => known === text)
  if (group) return group
  throw new CommandError(`--by: expected ${USAGE_GROUPS.slice(0, -1).join(', ')} or ${USAGE_GROUPS.at(-1)}.`)
}

export const sumOf = (name: string, rows: readonly UsageCounts[]): UsageSum => ({
  name,
  ...recordOf(NAMES, counter => rows.reduce((sum, row) => sum + row[counter], 0)),
})

/** The rows summed up: days in their order, everything else by what it cost, then by requests. */
export function groupUsage(rows: readonly UsageRow[], by: UsageGroup): readonly UsageSum[] {
  const sums = [...Map.groupBy(rows, row => row[by])].map(([name, group]) => sumOf(name, group))
  const byName = (a: UsageSum, b: UsageSum): number => (a.name < b.name ? -1 : 1)
  if (by === 'day') return sums.toSorted(byName)
  return sums.toSorted(
    (a, b) =>
      b.dollars + b.lostDollars - (a.dollars + a.lostDollars) || b.requests - a.requests || byName(a, b),
  )
}
