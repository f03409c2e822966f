import { leftOpen, type Soak } from './run-soak.ts'
import type { Sent } from './soak-client.ts'
import type { SoakCounts } from './soak-counts.ts'

/** A heap that holds what every request left behind would grow by more. */
const MOST_GROWTH = 1.25

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const byPrefix = (counts: Record<string, number>, prefix: string): number =>
  sum(Object.entries(counts).flatMap(([name, count]) => (name.startsWith(`${prefix} `) ? count : [])))

/**
 * Which counts are not those of what was sent; empty = none. What a client left may have been answered or not: of it only
 * the sum is known.
 */
export function judgeCounts(sent: Sent, counts: SoakCounts): string[] {
  const { logged, metered, answeredCalls, placesTaken, tableErrors } = counts
  const faults: string[] = []
  const check = (isRight: boolean, fault: string): void => void (isRight ? undefined : faults.push(fault))
  for (const outcome of ['answered', 'cut', 'failed']) {
    for (const prefix of ['whole', 'long', 'last']) {
      const name = `${prefix} ${outcome}`
      const [ours, theirs] = [logged[name] ?? 0, sent[name] ?? 0]
      check(ours === theirs, `${name}: ${theirs} for the client, ${ours} in the log`)
    }
  }
  const [late, sentLate] = [byPrefix(logged, 'late'), byPrefix(sent, 'late')]
  check(late === sentLate, `left late: ${sentLate} sent, ${late} in the log`)
  const [early, sentEarly] = [byPrefix(logged, 'early'), byPrefix(sent, 'early')]
  check(early <= sentEarly, `left early: ${sentEarly} sent, ${early} in the log`)
  const all = sum(Object.values(logged))
  check(metered === all, `${all} requests in the log, ${metered} in its metrics`)
  // A call of the table that failed is not repeated, because it might count twice.
  const isTold =
    tableErrors > 0
      ? answeredCalls.table <= answeredCalls.logged
      : answeredCalls.table === answeredCalls.logged
  check(isTold, `${answeredCalls.logged} answered calls in the log, ${answeredCalls.table} in the table`)
  check(
    placesTaken === 0 || tableErrors > 0,
    `${placesTaken} places of limits on simultaneous requests are still taken`,
  )
  return faults
}

/** What is wrong with a gateway that has been used for long; empty = nothing. */
export function judgeSoak({ sent, before, during, after, closed }: Soak): string[] {
  const faults = judgeCounts(sent, after)
  const check = (isRight: boolean, fault: string): void => void (isRight ? undefined : faults.push(fault))

  const [first, ...rest] = during
  const last = rest.at(-1)
  if (first && last)
    check(
      last.heapMb <= first.heapMb * MOST_GROWTH,
      `the heap grew from ${first.heapMb.toFixed(0)} to ${last.heapMb.toFixed(0)} MB`,
    )
  const left = leftOpen(before, closed)
  check(left.length === 0, `left open: ${left.join(', ')}`)
  check(
    closed.listeners <= before.listeners,
    `${closed.listeners - before.listeners} listeners of the process are left`,
  )
  check(closed.warnings.length === 0, `warnings: ${closed.warnings.join('; ')}`)
  check(closed.errors.length === 0, `errors of the handler: ${closed.errors.slice(0, 3).join('; ')}`)
  return faults
}
