const UNITS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
]

/** How long, in one unit: `43 s`, `12 min`, `5 h`, `2 d`; milliseconds. */
export function formatSpan(ms: number): string {
  // From two of a unit on it is the better one: 90 s says more than 1 min.
  const [unit, length] = UNITS.find(([, candidate]) => ms >= 2 * candidate) ?? ['s', 1_000]
  return `${Math.max(0, Math.round(ms / length))} ${unit}`
}
