import type { ModelCard, ModelTraffic, ModelTrouble } from '../../page-contract.ts'
import { make } from '../dom.ts'
import { formatCount, formatShare } from '../format.ts'
import { makeHop } from './hop.ts'
import { countdown } from '../ticker.ts'

/** How a model is, from worst to best; `failing`: it should answer, but its requests or calls failed. */
export type CardState = 'down' | 'failing' | 'lower' | 'well'

/** How a card is shown: in one line, and with its whole chain. */
export type CardView = { isFolded: boolean; isOpen: boolean; isWhole: boolean }

const SHOWN_HOPS = 8

export function stateOf({ answers, doubtful, tier, trouble }: ModelCard): CardState {
  if (!answers) return 'down'
  if (doubtful || trouble) return 'failing'
  return tier === 1 ? 'well' : 'lower'
}

function troubleText({ failed, whole, last }: ModelTrouble): string {
  const what = failed < whole ? `${formatCount(failed)} of ${formatCount(whole)} requests` : 'every request'
  return `, but ${what} in the last hour failed${last === null ? '' : `: ${last}`}`
}

function verdictOf(card: ModelCard): HTMLElement {
  const { answers, doubtful, tier, tiers, next, trouble } = card
  // What failed every time cannot be said to answer.
  const verb = trouble && trouble.failed === trouble.whole ? 'is called at' : 'answers from'
  const place = tiers === 1 ? verb.replace(/ \w+$/, '') : `${verb} tier ${tier} of ${tiers}`
  const doubt = trouble ? troubleText(trouble) : doubtful ? ', in doubt' : ''
  const text = answers ? `${place}${doubt}` : 'cannot answer'
  const first = answers
    ? null
    : next === null
      ? ' · nothing brings it back by itself'
      : ` · ${next.endpoint} `
  return make('p', { class: 'verdict' }, text, first, !answers && next ? countdown(next) : null)
}

/** The only part of a card that changes with every request. */
export function trafficOf(traffic: ModelTraffic | null): string {
  if (traffic === null) return 'not asked in the last hour'
  const { requests, fallbacks, failed } = traffic
  const parts = [
    requests === 1 ? '1 request in the last hour' : `${formatCount(requests)} requests in the last hour`,
    fallbacks === 0 ? null : `${formatShare(fallbacks, requests)} by fallback`,
    failed === 0 ? null : `${formatCount(failed)} failed`,
  ]
  return parts.filter(part => part !== null).join(' · ')
}

/** The first hops and the one that answers: a chain of hundreds would hide everything below it. */
function chainOf({ model, chain }: ModelCard, { isWhole }: CardView): HTMLElement {
  const shown =
    isWhole || chain.length <= SHOWN_HOPS + 1
      ? chain
      : chain.filter(({ state }, index) => index < SHOWN_HOPS || state === 'now')
  const hops = shown.map((hop, index) => makeHop(hop, shown[index - 1]?.tier ?? null))
  const rest = chain.length - shown.length
  const more = make(
    'button',
    { type: 'button', class: 'quiet more', 'data-whole': model },
    `${formatCount(rest)} more`,
  )
  return make('ol', { class: 'chain' }, ...hops, rest > 0 ? make('li', {}, more) : null)
}

/** The card of a model. Where there are many, those that are well are one line that opens. */
export function makeCard(card: ModelCard, view: CardView): HTMLLIElement {
  const { model, kind, traffic, chain } = card
  const name = make(
    'h3',
    {},
    model,
    kind === 'embeddings' ? make('span', { class: 'kind' }, ' embeddings') : null,
  )
  const busy = make('p', { class: 'traffic' }, trafficOf(traffic))
  const properties = { class: `card ${stateOf(card)}${view.isFolded ? ' folded' : ''}`, 'data-model': model }
  if (!view.isFolded)
    return make(
      'li',
      properties,
      make('div', { class: 'card-head' }, name, verdictOf(card), busy),
      chainOf(card, view),
    )
  const answering = chain.find(({ state }) => state === 'now')?.endpoint ?? ''
  const failed = traffic?.failed ?? 0
  const some = failed === 0 ? null : make('span', { class: 'fair' }, ` · ${formatCount(failed)} failed`)
  const summary = make(
    'summary',
    {},
    name,
    make(
      'p',
      { class: 'by' },
      make('span', { class: 'good' }, 'answers '),
      make('code', {}, answering),
      some,
    ),
  )
  // What is folded away is made when it is opened: with hundreds of models nobody opens most of them.
  const inside = view.isOpen ? [busy, chainOf(card, view)] : []
  return make('li', properties, make('details', { open: view.isOpen }, summary, ...inside))
}
