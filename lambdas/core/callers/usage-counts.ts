import type { RequestCompleted } from '../request-completed.ts'

/** What requests have used, each with the attribute that counts it in the table. */
export const USAGE_COUNTERS = {
  requests: 'n',
  /** No endpoint answered. */
  failed: 'f',
  /** Answered by an endpoint of a later tier, or after another endpoint had failed. */
  fallbacks: 'b',
  promptTokens: 'i',
  outputTokens: 'o',
  /** Of whole answers, and of attempts that gave none: as in the log line. */
  dollars: 'd',
  lostDollars: 'l',
  /** Answered at a price that nobody knows: not among the dollars. */
  unpriced: 'u',
} as const

export type UsageCounter = keyof typeof USAGE_COUNTERS
export type UsageCounts = Readonly<Record<UsageCounter, number>>

/** What an answer has used, by estimate where nobody counted, and whether its price is known. */
export type Consumed = { promptTokens: number; completionTokens: number; priced: boolean }

/** Whose use it is, and of what. */
export type UsageSubject = { caller: string; model: string; endpoint: string }

/** What stands for models that callers name themselves: they could name any number. */
export const DIRECT = '(direct)'
/** What stands for the endpoint where none answered. */
export const NO_ENDPOINT = '(none)'

/** The names of the configuration: what callers name beside them counts under a common one. */
export type ConfiguredNames = {
  aliases: ReadonlySet<string>
  endpoints: ReadonlySet<string>
  /** The alias that answers names which are none; null = none does. */
  defaultAlias: string | null
}

function endpointOf(servedBy: string | null, { endpoints }: ConfiguredNames): string {
  if (servedBy === null) return NO_ENDPOINT
  return endpoints.has(servedBy) ? servedBy : `${servedBy.split('/')[0]}/${DIRECT}`
}

/** What is no alias is an endpoint that the caller has named itself, or was answered by the default. */
function modelOf({ alias, servedBy }: RequestCompleted, { aliases, defaultAlias }: ConfiguredNames): string {
  if (aliases.has(alias)) return alias
  return servedBy === alias ? DIRECT : (defaultAlias ?? DIRECT)
}

/** Under which names a request counts. */
export const subjectOf = (line: RequestCompleted, names: ConfiguredNames): UsageSubject => ({
  caller: line.caller,
  model: modelOf(line, names),
  endpoint: endpointOf(line.servedBy, names),
})

function isFallback({ servedBy, attempts }: RequestCompleted): boolean {
  if (servedBy === null) return false
  return attempts.some(({ tier, endpoint }) => tier > 1 || endpoint !== servedBy)
}

/** What a request adds to the use of its caller. */
export function usageOf(line: RequestCompleted, consumed: Consumed): UsageCounts {
  const isServed = line.servedBy !== null
  return {
    requests: 1,
    failed: isServed ? 0 : 1,
    fallbacks: isFallback(line) ? 1 : 0,
    promptTokens: consumed.promptTokens,
    outputTokens: consumed.completionTokens,
    dollars: line.dollars ?? 0,
    lostDollars: line.lostDollars ?? 0,
    unpriced: isServed && !consumed.priced ? 1 : 0,
  }
}
