const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const PART =
  /(\d{1,12}(?:\.\d{1,12})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|毫秒|秒|分钟|分|小时|天)(?![a-z])/iy
const JOINT = /[\s,]{0,2}(?:and\s)?/iy

/**
 * Reads a duration of one or more parts at the start of a text: `9m38.016s`, `500ms`, `4h17m`, `3hr 20min`,
 * `2 minutes and 5 seconds`, `PT1M30S`, `30`.
 * @param text what follows a lead-in such as "try again in"
 * @param bareUnitMs what a number without a unit counts, or null where it counts as nothing
 * @returns milliseconds, or null where no duration stands there
 */
export function parseDuration(text: string, bareUnitMs: number | null = null): number | null {
  const iso = ISO.exec(text)
  if (iso) return fromIso(iso)
  let total = 0
  let at = 0
  let parts = 0
  for (; parts < 6; parts += 1) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (!part) break
    total += Number(part[1]) * unitMs(part[2] ?? '')
    JOINT.lastIndex = PART.lastIndex
    JOINT.exec(text)
    at = JOINT.lastIndex
  }
  if (parts > 0) return total
  const bare = /^\d{1,12}(?:\.\d{1,12})?(?=[.,;!)]?\s*$|[.,;!)]\s)/.exec(text)
  return bare && bareUnitMs !== null ? Number(bare[0]) * bareUnitMs : null
}

/** ISO 8601: `PT1M30S`, `P1DT2H`. */
const ISO =
  /^P(?=[\dT])(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?\b/i

function fromIso(found: RegExpExecArray): number {
  const units = [7 * DAY, DAY, HOUR, MINUTE, SECOND]
  return units.reduce((total, unit, index) => total + Number(found[index + 1] ?? 0) * unit, 0)
}

function unitMs(unit: string): number {
  const word = unit.toLowerCase()
  if (word.startsWith('ms') || word.startsWith('milli') || word === '毫秒') return 1
  if (word.startsWith('s') || word === '秒') return SECOND
  if (word.startsWith('m') || word.startsWith('分')) return MINUTE
  if (word.startsWith('h') || word === '小时') return HOUR
  return DAY
}
