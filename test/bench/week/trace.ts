import { DAY_MS, HOUR_MS } from './incidents.ts'
import { seededRandom } from './random.ts'

/** Requests a day; the fourth is the bad one, on which people try again and again. */
const REQUESTS_A_DAY = [186, 214, 205, 331, 209, 182, 140] as const
const DAY_BEGINS_HOUR = 7
const DAY_HOURS = 15
/** An agent at work: so many requests in a row, so far apart. */
const MOST_IN_A_ROW = 14
const PAUSE_MS = { least: 4_000, most: 70_000 }

/** The arrivals of one week, in milliseconds since it began, ascending: sessions of an agent, by day. */
export function arrivalsOfWeek(seed: number): readonly number[] {
  const random = seededRandom(seed)
  const arrivals = REQUESTS_A_DAY.flatMap((count, day) => {
    const ofDay: number[] = []
    while (ofDay.length < count) {
      let at = day * DAY_MS + DAY_BEGINS_HOUR * HOUR_MS + random() * DAY_HOURS * HOUR_MS
      const inARow = Math.min(count - ofDay.length, 1 + Math.floor(random() * MOST_IN_A_ROW))
      for (let turn = 0; turn < inARow; turn += 1) {
        ofDay.push(Math.round(at))
        at += PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least)
      }
    }
    return ofDay
  })
  return arrivals.toSorted((one, other) => one - other)
}
