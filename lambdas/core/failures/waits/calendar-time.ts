import { zonedTimes } from './zoned-instant.ts'

const LEAD_IN =
  /\b(?:resets?|try again|retry|available(?: again)?|refill\w*|renews?|resumes?|until)(?: daily| every day)?(?: at| on| after| by)?[\s:]{1,3}/gi

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH = `(${MONTHS.join('|')})[a-z]{0,6}\\.?`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const YEAR = String.raw`(?:,? (\d{4})\b(?!:))?`
const MONTH_FIRST = new RegExp(`^(?:[a-z]{3,9}, )?${MONTH} ${DAY}\\b${YEAR}`, 'i')
const DAY_FIRST = new RegExp(`^(?:[a-z]{3,9}, )?${DAY} ${MONTH}(?![a-z])${YEAR}`, 'i')
const TIME = /^(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?(?:([ap])\.?m\b\.?)?/i
const ZONE = /^\s?\(?([a-z]{1,20}(?:[/_+-][a-z0-9]{1,20}){0,4}|[+-]\d\d:?\d\d)\b\)?/i
const LOOKED_AT = 100

type Named = {
  date: { year: number | null; month: number; day: number } | null
  time: { hour: number; minute: number } | null
  zone: string | null
}

function readDate(text: string): { date: NonNullable<Named['date']>; length: number } | null {
  const monthFirst = MONTH_FIRST.exec(text)
  const found = monthFirst ?? DAY_FIRST.exec(text)
  if (!found) return null
  const [whole, first = '', second = '', year] = found
  const [name, day] = monthFirst ? [first, second] : [second, first]
  const month = MONTHS.indexOf(name.toLowerCase()) + 1
  return {
    date: { year: year === undefined ? null : Number(year), month, day: Number(day) },
    length: whole.length,
  }
}

function readTime(text: string): { time: NonNullable<Named['time']>; length: number } | null {
  const found = TIME.exec(text)
  const [whole, hours, minutes, half] = found ?? []
  // A lone number is no time.
  if (whole === undefined || (minutes === undefined && half === undefined)) return null
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0)
  const minute = Number(minutes ?? 0)
  return hour > 24 || minute > 59 ? null : { time: { hour, minute }, length: whole.length }
}

function readNamed(text: string): Named {
  const date = readDate(text)
  const rest = text.slice(date?.length ?? 0).replace(/^,?\s(?:at )?/, '')
  const time = readTime(rest)
  const zone = ZONE.exec(rest.slice(time?.length ?? 0))?.[1] ?? null
  return { date: date?.date ?? null, time: time?.time ?? null, zone }
}

/** Milliseconds until a time that is named; null where it has passed, or its zone must be known and is not. */
function untilNamed({ date, time, zone }: Named, now: number, usualZone: string): number | null {
  if (!date && !time) return null
  const told = zone === null ? null : zonedTimes(zone)
  // Without a day, hours in the wrong zone would be anything.
  if (!date && !told) return null
  const times = told ?? zonedTimes(usualZone)
  if (!times) return null
  const today = times.localOf(now)
  const { hour, minute } = time ?? { hour: 0, minute: 0 }
  const waitOf = (day: { year: number; month: number; day: number }): number =>
    times.instantOf({ ...day, hour, minute }) - now
  if (!date) {
    const { year, month, day } = today
    const wait = waitOf({ year, month, day })
    return wait > 0 ? wait : waitOf({ year, month, day: day + 1 })
  }
  const years = date.year === null ? [-1, 0, 1].map(off => today.year + off) : [date.year]
  // The nearest: in January a day in December was the last one.
  const waits = years.map(year => waitOf({ ...date, year }))
  return waits.reduce((best, wait) => (Math.abs(wait) < Math.abs(best) ? wait : best))
}

/**
 * The wait in a time that words name as a calendar or a clock does: "resets 4:30pm (Asia/Calcutta)", "try again at
 * Aug 20, 2027, 7:38 AM", "resets daily at 10:00 UTC".
 * @param usualZone for a day without a zone, such as `+08:00`; a time without a day must name its own
 * @returns milliseconds from `now`; null where none is readable or it has passed
 */
export function waitUntilNamedTime(text: string, now: number, usualZone = 'UTC'): number | null {
  for (const lead of text.matchAll(LEAD_IN)) {
    const begin = lead.index + lead[0].length
    const wait = untilNamed(readNamed(text.slice(begin, begin + LOOKED_AT)), now, usualZone)
    if (wait !== null && wait > 0) return wait
  }
  return null
}
