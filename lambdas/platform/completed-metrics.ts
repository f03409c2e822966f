import { dimensionValue } from '../contract.ts'
import type { RequestCompleted } from '../core/request-completed.ts'
import type { MetricValues } from './embedded-metrics.ts'
import { fallbackChain, hasFallenBack } from './fallback-chain.ts'

/** A line with the metrics that it carries. */
export type MeteredLine = { line: object; values: MetricValues | null }

/** The first endpoint of each configured alias's chain. */
export type Chains = ReadonlyMap<string, string>

/** All models that no alias stands for count as one: clients could invent any number of them. */
const DIRECT = '(direct)'

const hasFailed = ({ outcome }: RequestCompleted['attempts'][number]): boolean =>
  outcome !== 'ok' && outcome !== 'client_left' && outcome !== 'hedged'

const isOurs = ({ atFault }: RequestCompleted): boolean => atFault === 'gateway'

const onlySome = (count: number): number | undefined => (count > 0 ? count : undefined)

function withoutUndefined<Values extends object>(values: Values): MetricValues['metrics'] {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** What the client itself made fail, or did not wait for, says nothing of a model: it does not count under its name. */
function modelOf(
  { alias, chain = alias, servedBy, atFault }: RequestCompleted,
  chains: Chains,
): string | null {
  if (servedBy === null && atFault === 'client') return null
  return chains.has(chain) ? dimensionValue(chain) : DIRECT
}

function valuesOf(line: RequestCompleted, chains: Chains): MetricValues {
  const { alias, chain: called = alias, attempts, usage } = line
  const first = chains.get(called)
  const chain = first === undefined ? null : fallbackChain({ ...line, alias: called, first })
  const model = modelOf(line, chains)
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
      StreamsCut: isOurs(line) && line.outcome === 'cut' ? 1 : undefined,
      MalformedEvents: onlySome(line.malformedEvents),
      Failures: isOurs(line) ? 1 : undefined,
      AliasOut: isOurs(line) && line.outcome === 'failed' ? 1 : undefined,
      Fallbacks: hasFallenBack(attempts) ? 1 : undefined,
      Attempts: working ? 1 : undefined,
    }),
    dimensions: {
      ...(model !== null && { model }),
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
export function completedMetrics(line: RequestCompleted, chains: Chains): MeteredLine[] {
  return [{ line, values: valuesOf(line, chains) }, ...failedLines(line)]
}
