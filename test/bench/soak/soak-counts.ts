import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { metricsOfLine } from '../../../lambdas/platform/metrics-of-line.ts'

export type SoakCounts = {
  /** Requests by the prefix of their id and their outcome, in the log, and all of them in its metrics. */
  logged: Record<string, number>
  metered: number
  /** Calls of endpoints that gave a whole answer, in the log and in the table. */
  answeredCalls: { logged: number; table: number }
  /** Places of limits on simultaneous requests that the table says are taken: of callers, and of providers. */
  placesTaken: number
  /** Calls of the table that failed; what they counted may be missing there. */
  tableErrors: number
}

type Item = Readonly<Record<string, unknown>>

const DAY_OK = /^do\d+$/
/** The leases of requests under way: a caller's, and those of a provider's key. */
const LEASE = /^[lc]\d+$/

/** The counters of this name, of all items whose key begins so. */
const countersOf = (items: readonly Item[], key: 'pk' | 'sk', prefix: string, named: RegExp): number[] =>
  items
    .filter(item => String(item[key]).startsWith(prefix))
    .flatMap(item => Object.entries(item))
    .flatMap(([name, value]) => (named.test(name) && typeof value === 'number' ? value : []))

/** Counts the requests that a log tells of, to compare them with those that were sent and with the table. */
export function createSoakCounts() {
  const logged: Record<string, number> = {}
  let [metered, answeredCalls, tableErrors] = [0, 0, 0]
  return {
    note(line: LogEvent): void {
      if (line.event === 'state-error') tableErrors += 1
      if (line.event !== 'request-completed') return
      const name = `${line.requestId.split('-')[0] ?? ''} ${line.outcome}`
      logged[name] = (logged[name] ?? 0) + 1
      if (line.outcome === 'answered') answeredCalls += 1
      for (const { values } of metricsOfLine(line, new Map([[line.alias, line.alias]]))) {
        const requests = values?.metrics['Requests']
        if (typeof requests === 'number') metered += requests
      }
    },
    /** @param items everything that the table holds */
    beside(items: readonly Item[]): SoakCounts {
      const table = countersOf(items, 'sk', 'endpoint#', DAY_OK).reduce((sum, count) => sum + count, 0)
      // One that was given back twice would hide another.
      const places = countersOf(items, 'pk', 'usage#', LEASE).map(Math.abs)
      const placesTaken = places.reduce((sum, count) => sum + count, 0)
      return { logged, metered, answeredCalls: { logged: answeredCalls, table }, placesTaken, tableErrors }
    },
  }
}
