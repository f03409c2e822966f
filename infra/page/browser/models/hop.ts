import type { HopCard } from '../../page-contract.ts'
import { hidden, make } from '../dom.ts'
import { countdown } from '../ticker.ts'

/** So that a state is told without colour too. */
const SIGNS = { well: '●', waiting: '◐', broken: '■', lacking: '○' } as const
const STATES = { now: 'answers now', ready: 'ready', skipped: 'skipped' } as const

/** One endpoint of a chain: a pill that opens it, and why it is skipped and until when. */
export function makeHop(
  { endpoint, tier, state, mark, words, next }: HopCard,
  previousTier: number | null,
): HTMLElement {
  const sign = make('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[mark])
  const pill = make(
    'button',
    { type: 'button', class: `pill ${state} ${mark}`, 'data-endpoint': endpoint },
    sign,
    make('span', { class: 'name' }, endpoint),
    hidden(`, tier ${tier}, ${STATES[state]}`),
  )
  const why =
    words === null && next === null
      ? null
      : make(
          'span',
          { class: 'note' },
          words,
          words !== null && next !== null ? ', ' : null,
          next === null ? null : countdown(next),
        )
  const link = previousTier === null ? '' : previousTier === tier ? ' replica' : ' later'
  return make('li', { class: `hop${link}` }, pill, why)
}
