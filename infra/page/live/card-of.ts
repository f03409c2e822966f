import { nextOf } from '../../../lambdas/core/routing/view/model-view.ts'
import type { EndpointsAnswer } from '../../endpoints-contract.ts'
import type { HopCard, ModelCard, ModelTraffic } from '../page-contract.ts'

type Model = EndpointsAnswer['models'][number]
type Hop = Model['chain'][number]

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

/** What the page shows of a model. */
export function cardOf(view: Model, traffic: ModelTraffic | null): ModelCard {
  const { model, kind, answers, answered_by: answeredBy, tier, tiers, next } = view
  const chain = view.chain.map(hop => hopCard(hop, hop.endpoint === answeredBy && hop.tier === tier))
  return { model, kind, answers, tier, tiers, next, chain, traffic }
}
