import { dimensionValue } from '../contract.ts'
import type { RequestCompleted } from '../core/request-completed.ts'
import type { MetricValues } from './embedded-metrics.ts'
import { fallbackChain } from './fallback-chain.ts'

/** A line with the metrics that it carries. */
export type MeteredLine = { line: object; values: MetricValues | null }

/** All models that no alias stands for count as one: clients could invent any number of them. */
const DIRECT = '(direct)'

const hasFailed = ({ outcome }: RequestCompleted['attempts'][number]): boolean =>
  outcome !== 'ok' && outcome !== 'client_left' && outcome !== 'hedged'

/** A request's own fault is no outage of its alias. */
const isAliasOut = ({ outcome, status }: RequestCompleted): boolean => outcome === 'failed' && status >= 429

const onlySome = (count: number): number | undefined => (count > 0 ? count : undefined)

function withoutUndefined<Values extends object>(values: Values): MetricValues['metrics'] {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function valuesOf(line: RequestCompleted, aliases: ReadonlySet<string>): MetricValues {
  const { alias, attempts, usage } = line
  const chain = fallbackChain(line)
  const last = attempts.at(-1)
  const working = last && !hasFailed(last) ? last : null
  return {
    metrics: withoutUndefined({
      Requests: 1,
      Latency: line.outcome === 'answered' ? line.durationMs : undefined,
      TimeToFirstToken: line.stream ? (line.firstTokenMs ?? undefined) : undefined,
      GatewayOverhead: line.overheadMs,
      RetryTokens: onlySome(line.retryTokens),
      InputTokens: usage?.promptTokens,
      OutputTokens: usage?.completionTokens,
      StreamsCut: line.outcome === 'cut' ? 1 : undefined,
      MalformedEvents: onlySome(line.malformedEvents),
      KeyRefused: onlySome(attempts.filter(({ outcome }) => outcome === 'auth').length),
      AliasOut: isAliasOut(line) ? 1 : undefined,
      Fallbacks: chain === null ? undefined : 1,
      Attempts: working ? 1 : undefined,
    }),
    dimensions: {
      model: aliases.has(alias) ? dimensionValue(alias) : DIRECT,
      ...(working && { provider: dimensionValue(working.provider) }),
      ...(chain !== null && { fallback_chain: chain }),
    },
  }
}

/** One line an endpoint and kind of failure: a line holds one value of each dimension. */
function failedLines({ requestId, attempts }: RequestCompleted): MeteredLine[] {
  const failures = attempts.filter(hasFailed)
  const groups = Map.groupBy(failures, ({ endpoint, outcome }) => JSON.stringify([endpoint, outcome]))
  return [...groups.values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const { endpoint } = first
    const count = group.length
    const dimensions = { provider: dimensionValue(first.provider), kind: dimensionValue(first.outcome) }
    const values = { metrics: { Attempts: count, AttemptFailures: count }, dimensions }
    return [{ line: { event: 'attempts-failed', requestId, endpoint }, values }]
  })
}

/** The line of a request with its metrics, and further lines only where attempts failed. */
export function completedMetrics(line: RequestCompleted, aliases: ReadonlySet<string>): MeteredLine[] {
  return [{ line, values: valuesOf(line, aliases) }, ...failedLines(line)]
}
