import { isLeased } from '../../../lambdas/core/callers/limit-counters.ts'
import { bucketOf } from '../../../lambdas/core/quota/quota-counters.ts'

/** What the table has counted. */
export type SoakTable = {
  /** Calls that gave a whole answer. */
  answeredCalls: number
  /** Places of limits on simultaneous requests that are still taken, or were given back twice: of callers, and at providers. */
  placesTaken: number
  placesBelowZero: number
}

type Item = Readonly<Record<string, unknown>>

const DAY_OK = /^do\d+$/
const LEASE_AT_PROVIDER = /^c(\d+)$/

const countersOf = (items: readonly Item[], isCounted: (name: string) => boolean): number[] =>
  items
    .flatMap(item => Object.entries(item))
    .flatMap(([name, value]) => (typeof value === 'number' && isCounted(name) ? value : []))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Counts in everything that a table holds. Leases that have ended take no place. */
export function countTable(items: readonly Item[], now: number): SoakTable {
  const isTaken = (name: string): boolean => {
    const [, bucket] = LEASE_AT_PROVIDER.exec(name) ?? []
    return bucket === undefined ? isLeased(name, now) : Number(bucket) >= bucketOf('concurrency', now)
  }
  const limits = items.filter(({ pk }) => String(pk).startsWith('usage#'))
  const endpoints = items.filter(({ sk }) => String(sk).startsWith('endpoint#'))
  const places = countersOf(limits, isTaken)
  return {
    answeredCalls: sum(countersOf(endpoints, name => DAY_OK.test(name))),
    placesTaken: sum(places.filter(count => count > 0)),
    placesBelowZero: -sum(places.filter(count => count < 0)),
  }
}
