/** What an upstream said: of its headers, with lower-case names, and in words. */
type Said = {
  headers: Readonly<Record<string, string>>
  message: string
  /** Its headers about requests count days. */
  requestsCountDays: boolean
}

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)`
const A_DAY = String.raw`(?:(?:per|a|each|\/)[ -]?day|daily)`
/** The number must be that of the limit in force, not of what an upgrade would give. */
const WORDS: readonly RegExp[] = [
  // "… on requests per day (RPD): Limit 14400, Used 14400"
  new RegExp(String.raw`\brequests? ${A_DAY}\b[^.\d]{0,40}\blimit:? ${NUMBER}\b`, 'i'),
  // "a limit of 50 requests per day", "limited to 50 requests a day"
  new RegExp(
    String.raw`\b(?:limit(?:ed)?|quota|maximum)(?: is| of| to|:)+ ${NUMBER} (?:\w+ ){0,2}requests? ${A_DAY}`,
    'i',
  ),
  // "daily request limit of 50", "daily limit of 50 requests", "requests per day quota (200)"
  new RegExp(String.raw`\bdaily (?:\w+ )?request (?:limit|quota)(?: is| of|:)? \(?${NUMBER}\b`, 'i'),
  new RegExp(String.raw`\bdaily (?:limit|quota)(?: is| of|:)? \(?${NUMBER} (?:\w+ )?requests?\b`, 'i'),
  // "Quota exceeded for … GenerateRequestsPerDay…, limit: 50"
  /requestsPerDay\w*[^.\d]{0,60}\blimit: (\d+)\b/i,
]

const isDaily = (name: string, requestsCountDays: boolean): boolean =>
  /^(?:x-)?rate-?limit-limit\b/.test(name) &&
  !name.includes('token') &&
  (/-(?:day|daily)(?:-|$)/.test(name) || (requestsCountDays && name.endsWith('limit-requests')))

const positive = (text: string | undefined): number | null => {
  const number = Number((text ?? '').replaceAll(',', '').trim() || Number.NaN)
  return Number.isSafeInteger(number) && number > 0 ? number : null
}

/** How many requests a day an upstream allows, by its own statement; null = it does not say. */
export function dailyRequests({ headers, message, requestsCountDays }: Said): number | null {
  const stated = Object.entries(headers).flatMap(([name, value]) =>
    isDaily(name, requestsCountDays) ? (positive(value) ?? []) : [],
  )
  if (stated.length > 0) return Math.min(...stated)
  for (const pattern of WORDS) {
    const number = positive(pattern.exec(message)?.[1])
    if (number !== null) return number
  }
  return null
}
