import type { UsageKey } from '../item-keys.ts'
import { shortHash } from '../health/short-hash.ts'
import type { UsageSubject } from './usage-counts.ts'

/** The items of a month stand in so many partitions. */
const SHARDS = 8
/** In characters of the encoded name: three of them and the day stay far below what a sort key may hold. */
const LONGEST_NAME = 300

/** A name of any characters as one part of a key; one that is too long ends in its hash. */
export function encodeName(name: string): string {
  const whole = encodeURIComponent(name.toWellFormed())
  if (whole.length <= LONGEST_NAME) return whole
  const mark = `~${shortHash(name).toString(16)}`
  return whole.slice(0, LONGEST_NAME - mark.length).replace(/%[\dA-F]?$/, '') + mark
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A long name was cut inside a character.
    return part
  }
}

/** `2026-11-30`, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const monthOf = (day: string): string => day.slice(0, 7)

const partition = (month: string, shard: number): UsageKey => `usage#record#${month}#${shard}`

/** Where the use of one day by one caller, of one model and endpoint, is counted. */
export function placeOf({ caller, model, endpoint }: UsageSubject, at: number): { pk: UsageKey; sk: string } {
  const day = dayOf(at)
  const names = [caller, model, endpoint].map(encodeName).join('#')
  return { pk: partition(monthOf(day), shortHash(names) % SHARDS), sk: `${day.slice(8)}#${names}` }
}

/** What a place says; null where it makes no sense. `pk` names the month. */
export function subjectAt({ pk, sk }: { pk: UsageKey; sk: string }): (UsageSubject & { day: string }) | null {
  const month = /^usage#record#(\d{4}-\d{2})#\d+$/.exec(pk)?.[1]
  const [day, caller, model, endpoint, ...more] = sk.split('#')
  if (!month || !day || !caller || !model || !endpoint || more.length > 0) return null
  return {
    day: `${month}-${day}`,
    caller: decodeName(caller),
    model: decodeName(model),
    endpoint: decodeName(endpoint),
  }
}

/** The items of some days of one month. */
export type UsageRange = { pk: UsageKey; first: string; last: string }

/** Where everything from one day to another one stands, both included. */
export function rangesOf(firstDay: string, lastDay: string): readonly UsageRange[] {
  const ranges: UsageRange[] = []
  for (let month = monthOf(firstDay); month <= monthOf(lastDay); month = followingMonth(month)) {
    const first = month === monthOf(firstDay) ? firstDay.slice(8) : '01'
    const last = month === monthOf(lastDay) ? lastDay.slice(8) : '31'
    // `$` is the character after the one that ends a day.
    for (let shard = 0; shard < SHARDS; shard += 1)
      ranges.push({ pk: partition(month, shard), first, last: `${last}$` })
  }
  return ranges
}

function followingMonth(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
}

const MONTHS_KEPT = 13

/** When what is counted on a day may be forgotten: 13 months after the end of its month. Epoch milliseconds. */
export function keptUntil(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 + MONTHS_KEPT, 1)
}
