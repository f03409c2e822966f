import { formatDollars } from '../../../lambdas/core/format-dollars.ts'

const SECOND_MS = 1_000

export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** One digit after the point; never rounded up to all, or down to none. */
export function formatShare(part: number, whole: number): string {
  const percent = (100 * part) / whole
  if (part < whole && percent > 99.9) return '99.9 %'
  if (part > 0 && percent < 0.1) return '0.1 %'
  return `${percent.toFixed(Number.isInteger(percent) ? 0 : 1)} %`
}

/** What one request cost: as exact as the header of its answer. */
export const formatCost = (dollars: number): string => `$${formatDollars(dollars)}`

/** Of a sum, cents where there are some, else as many digits as it takes to tell it from nothing. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars >= 0.01) return `$${dollars.toFixed(dollars >= 1 ? 2 : 3)}`
  return `$${formatDollars(Number(dollars.toPrecision(2)))}`
}

/** `312 ms`, `1.1 s`. */
export const formatTook = (ms: number): string =>
  ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`

/** The time of the day as this machine tells it. */
export const formatTime = (at: number): string => new Date(at).toTimeString().slice(0, 8)

/** `rate_limit` as people write it. */
export const spelledOut = (name: string): string => name.replaceAll(/[_-]/g, ' ')
