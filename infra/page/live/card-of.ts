import { nextOf } from '../../../lambdas/core/routing/view/model-view.ts'
import type { EndpointsAnswer } from '../../endpoints-contract.ts'
import type { HopCard, ModelCard, ModelTraffic, ModelTrouble } from '../page-contract.ts'

type Model = EndpointsAnswer['models'][number]
type Hop = Model['chain'][number]
type Row = Pick<EndpointsAnswer['data'][number], 'last_failure'>

const HOUR_MS = 3_600_000

function markOf({ reason, test, health }: Hop): HopCard['mark'] {
  if (reason === 'quarantined' || reason === 'breaker_open') return 'broken'
  if (reason === 'cooldown' || reason === 'quota') return 'waiting'
  if (reason !== null) return 'lacking'
  return test || health === 'suspect' ? 'waiting' : 'well'
}

function wordsOf({ reason, words, key_variable: variable, test, health }: Hop): string | null {
  if (reason === 'no_key' && variable !== undefined) return `${words}: set ${variable}`
  return reason === null && !test && health !== 'suspect' ? null : words
}

function hopCard(hop: Hop, isFirst: boolean): HopCard {
  const { endpoint, tier, called } = hop
  const state = isFirst ? 'now' : called ? 'ready' : 'skipped'
  return { endpoint, tier, state, mark: markOf(hop), words: wordsOf(hop), next: nextOf(hop) }
}

/** Health is about single endpoints: what is at fault only sometimes, or with real prompts, may be healthy and still fail. */
function troubleOf(
  { answers }: Model,
  traffic: ModelTraffic | null,
  first: Row | undefined,
  now: number,
): ModelTrouble | null {
  if (!answers || !traffic || traffic.failed <= traffic.answered) return null
  const { failed, answered } = traffic
  const failure = first?.last_failure ?? null
  const isRecent = failure !== null && now - failure.at < HOUR_MS
  const parts = [failure?.kind.replaceAll('_', ' '), failure?.status ?? undefined]
  const last = isRecent ? parts.filter(part => part !== undefined).join(' ') : null
  return { failed, whole: failed + answered, last }
}

/** What the page shows of a model; `first` is the endpoint that would be called first. */
export function cardOf(
  view: Model,
  traffic: ModelTraffic | null,
  first: Row | undefined,
  now: number,
): ModelCard {
  const { model, kind, answers, doubtful, answered_by: answeredBy, tier, tiers, next } = view
  const chain = view.chain.map(hop => hopCard(hop, hop.endpoint === answeredBy && hop.tier === tier))
  const trouble = troubleOf(view, traffic, first, now)
  return { model, kind, answers, doubtful, tier, tiers, next, chain, traffic, trouble }
}
