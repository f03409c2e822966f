/** Names of zones in the words of people. What Intl knows needs no line here. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ['z', 'UTC'],
  ['pt', 'America/Los_Angeles'],
  ['pst', 'America/Los_Angeles'],
  ['pdt', 'America/Los_Angeles'],
  ['et', 'America/New_York'],
  ['edt', 'America/New_York'],
  ['cest', 'Europe/Berlin'],
  ['ist', 'Asia/Kolkata'],
  ['jst', 'Asia/Tokyo'],
])

/** A day, month from 1 on, and a time. */
export type LocalTime = { year: number; month: number; day: number; hour: number; minute: number }

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
} as const

/** The formatter of a zone (`Asia/Calcutta`, `PST`, `+08:00`, `UTC`), or null where there is none of this name. */
function formatterOf(zone: string): Intl.DateTimeFormat | null {
  try {
    const timeZone = SPOKEN.get(zone.toLowerCase()) ?? zone
    return new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone })
  } catch {
    return null
  }
}

function localTimeOf(instant: number, formatter: Intl.DateTimeFormat): LocalTime {
  const parts = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  return {
    year: read('year'),
    month: read('month'),
    day: read('day'),
    hour: read('hour'),
    minute: read('minute'),
  }
}

const asUtc = ({ year, month, day, hour, minute }: LocalTime): number =>
  Date.UTC(year, month - 1, day, hour, minute)

/**
 * Reads times of one zone.
 * @returns null where there is no zone of this name
 */
export function zonedTimes(zone: string) {
  const formatter = formatterOf(zone)
  if (!formatter) return null
  return {
    localOf: (instant: number): LocalTime => localTimeOf(instant, formatter),
    /** Epoch milliseconds. */
    instantOf(local: LocalTime): number {
      const wanted = asUtc(local)
      let instant = wanted
      // The second step is for days on which clocks are changed.
      for (let step = 0; step < 2; step += 1) instant += wanted - asUtc(localTimeOf(instant, formatter))
      return instant
    },
  }
}
