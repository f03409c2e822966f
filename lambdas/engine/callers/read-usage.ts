import { recordOf } from '../../core/record-of.ts'
import {
  USAGE_COUNTERS,
  type UsageCounter,
  type UsageCounts,
  type UsageSubject,
} from '../../core/callers/usage-counts.ts'
import { rangesOf, subjectAt } from '../../core/callers/usage-place.ts'
import type { FleetStore } from '../../store/fleet-store.ts'

/** What one caller has used on one day, of one model and endpoint. */
export type UsageRow = UsageSubject & { day: string } & UsageCounts

const NAMES = Object.keys(USAGE_COUNTERS) as readonly UsageCounter[]
const AT_ONCE = 16

/** Everything on record from one day to another one, both included. Rejects with `StoreError`. */
export async function readUsage(
  store: Pick<FleetStore, 'readUsage'>,
  firstDay: string,
  lastDay: string,
): Promise<readonly UsageRow[]> {
  const ranges = [...rangesOf(firstDay, lastDay)]
  const rows: UsageRow[] = []
  const readOn = async (): Promise<void> => {
    for (let range = ranges.shift(); range; range = ranges.shift()) {
      const { pk, first, last } = range
      for (const { sk, counters } of await store.readUsage(pk, first, last)) {
        const subject = subjectAt({ pk, sk })
        if (subject)
          rows.push({ ...subject, ...recordOf(NAMES, name => counters[USAGE_COUNTERS[name]] ?? 0) })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  return rows
}
