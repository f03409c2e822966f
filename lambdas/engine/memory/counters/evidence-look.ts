import { namesOf } from '../../../core/health/counter-names.ts'
import type { Counters } from '../../../store/fleet-store.ts'

/**
 * Whether an item's counters hold any evidence or failure that still counts. Hardly any do, and each success wants to
 * know: their names are read once for each time that the item was written or read.
 */
export function createEvidenceLook(
  sumOf: (counters: Counters) => number,
): (counters: Counters | undefined) => boolean {
  const naming = new WeakMap<Counters, boolean>()
  return counters => {
    if (!counters) return false
    const names = naming.get(counters) ?? namesOf(counters, ['evidence', 'bench']).length > 0
    naming.set(counters, names)
    return names && sumOf(counters) > 0
  }
}
