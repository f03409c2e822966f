import type { GatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { firstEndpoints, referenceOf, tiersOf } from '../../../lambdas/config/tiers-of.ts'
import type { MetricLevel } from '../../../lambdas/contract.ts'
import { FAILURE_KINDS } from '../../../lambdas/core/failures/kinds.ts'
import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { createMetricLog } from '../../../lambdas/platform/metric-log.ts'
import { completedRequest } from '../../local/completed-request.ts'
import { seededRandom } from '../week/random.ts'

type Line = Record<string, unknown> & {
  _aws?: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] }
}

/** One request in three falls back, to any depth, and each failure is of one of all kinds: a bad month. */
const FALLS_BACK = 1 / 3

/** One request that went down its chain to some depth, and what the fleet noted of it. */
function eventsOf(alias: string, chain: readonly string[], random: () => number): LogEvent[] {
  const [sample] = completedRequest().attempts
  if (!sample) throw new Error('the sample has attempts')
  const depth = random() < FALLS_BACK ? Math.floor(random() * (chain.length + 1)) : 0
  const attempts = chain.slice(0, depth + 1).map((endpoint, index) => ({
    ...sample,
    endpoint,
    provider: endpoint.split('/')[0] ?? '',
    outcome: index < depth ? (FAILURE_KINDS[Math.floor(random() * FAILURE_KINDS.length)] ?? '') : 'ok',
  }))
  const isOut = depth >= chain.length
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok')
  return [
    completedRequest({
      alias,
      attempts,
      servedBy: isOut ? null : (chain[depth] ?? null),
      ...(isOut && ({ outcome: 'failed', atFault: 'gateway', status: 503 } as const)),
    }),
    ...failed.flatMap(({ endpoint, provider }): LogEvent[] => [
      { event: 'health-transition', endpoint, provider, from: 'healthy', to: 'suspect', because: 'evidence' },
      { event: 'breaker-transition', provider, from: 'closed', to: 'open', because: 'failed' },
      {
        event: 'probe',
        endpoint,
        id: endpoint,
        provider,
        outcome: 'ok',
        message: null,
        tokens: 20,
        durationMs: 300,
      },
    ]),
  ]
}

const RARE: LogEvent[] = [
  { event: 'request-rejected', requestId: 'r', code: 'invalid_json', param: null },
  { event: 'state-error', error: 'timed out' },
  { event: 'key-refused', provider: 'groq', keys: 1 },
  { event: 'network-suspect', evidence: 1 },
  { event: 'degraded', usable: 1, providers: 4 },
]

/** How many metrics CloudWatch would bill after so many requests of a configuration's models. */
export function countMetricSets(
  { models }: Pick<GatewayConfig, 'models'>,
  level: MetricLevel,
  requests: number,
): number {
  const sets = new Set<string>()
  const take = (text: string): void => {
    const line = JSON.parse(text) as Line
    for (const { Dimensions, Metrics } of line._aws?.CloudWatchMetrics ?? [])
      for (const { Name } of Metrics)
        for (const set of Dimensions) sets.add(JSON.stringify([Name, ...set.map(name => line[name])]))
  }
  const log = createMetricLog({
    chains: firstEndpoints(models),
    mostSets: () => 300,
    level,
    now: () => 0,
    write: take,
  })
  const random = seededRandom(20_261)
  const chains = Object.keys(models).map(
    alias => [alias, tiersOf(models, alias).flat().map(referenceOf)] as const,
  )
  for (let request = 0; request < requests; request += 1) {
    const [alias, chain] = chains[request % chains.length] ?? ['', []]
    for (const event of eventsOf(alias, chain, random)) log(event)
  }
  for (const event of RARE) log(event)
  return sets.size
}
