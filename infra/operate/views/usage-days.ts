import { dayOf } from '../../../lambdas/core/callers/usage-place.ts'
import { CommandError } from '../../terminal/command-error.ts'

const DAY_MS = 86_400_000
/** As far back as anything is kept. */
const MOST_DAYS = 427

/** Days of UTC, both included. */
export type UsageDays = { first: string; last: string }

/** The days that a command is asked about: the last N with today, or a whole month. Throws where they make no sense. */
export function usageDays(
  { days, month }: { days?: string | undefined; month?: string | undefined },
  now: number,
): UsageDays {
  if (month === undefined) return lastDays(days ?? '7', now)
  if (days !== undefined) throw new CommandError('Use either --days or --month, not both.')
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))
    throw new CommandError(`--month: expected a month such as ${dayOf(now).slice(0, 7)}.`)
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { first: `${month}-01`, last: dayOf(Date.UTC(year, number, 1) - DAY_MS) }
}

function lastDays(text: string, now: number): UsageDays {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (days < 1 || days > MOST_DAYS)
    throw new CommandError(`--days: expected a number of days from 1 to ${MOST_DAYS}.`)
  return { first: dayOf(now - (days - 1) * DAY_MS), last: dayOf(now) }
}
