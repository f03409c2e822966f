const UNITS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** A span in one unit, `43 s` or `12 min`; milliseconds. */
export function spanWords(ms: number): string {
  // From two of a unit on it is the better one: 90 s says more than 1 min.
  const [name, length] = UNITS.find(([, unit]) => ms >= 2 * unit) ?? ['s', 1_000]
  return `${Math.round(ms / length)} ${name}`
}

/** How long ago an instant was. */
export const ago = (at: number, now: number): string =>
  now - at < 1_000 ? 'just now' : `${spanWords(now - at)} ago`

/** How long until an instant. */
export const until = (at: number, now: number): string =>
  at <= now ? 'due now' : `in ${spanWords(at - now)}`
