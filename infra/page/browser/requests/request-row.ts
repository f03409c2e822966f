import type { RequestRow } from '../../page-contract.ts'
import { hidden, make } from '../dom.ts'
import { formatCost, formatCount, formatTime, formatTook, spelledOut } from '../format.ts'

type Hop = RequestRow['hops'][number]

const NONE = '–'

function hopText({ endpoint, outcome, status }: Hop): HTMLElement {
  if (outcome === 'ok') return make('span', { class: 'good' }, endpoint)
  const style = outcome === 'hedged' || outcome === 'client_left' ? 'plain' : 'fair'
  const how = status === null ? spelledOut(outcome) : `${spelledOut(outcome)} ${status}`
  return make('span', {}, `${endpoint} `, make('span', { class: `how ${style}` }, how))
}

/** How it ended, where it did not end well. */
function endOf({ outcome, status, code, hops, skips }: RequestRow): HTMLElement | null {
  const told = [status, code === null ? null : spelledOut(code)].filter(part => part !== null).join(' ')
  switch (outcome) {
    case 'answered':
      return null
    case 'cut':
      return make('span', { class: 'bad' }, 'broke off')
    case 'client-left':
      return make('span', { class: 'fair' }, 'the client left')
    case 'rejected':
      return make('span', { class: 'bad' }, `refused: ${told}`)
    case 'failed': {
      const reasons = skips.map(({ endpoint, reason }) => `${endpoint} ${spelledOut(reason)}`).join(', ')
      const uncalled = reasons === '' ? 'no endpoint was called' : `no endpoint was called (${reasons})`
      return make('span', { class: 'bad' }, hops.length === 0 ? `${told}: ${uncalled}` : told)
    }
  }
}

function happened(row: RequestRow): readonly (Node | string)[] {
  const arrow = (): HTMLElement => make('span', { class: 'arrow' }, ' → ')
  const first = row.moreHops > 0 ? make('span', { class: 'plain' }, `${row.moreHops} more`) : null
  const parts = [first, ...row.hops.map(hopText), endOf(row)].filter(part => part !== null)
  return parts.flatMap((part, index) => (index === 0 ? [part] : [arrow(), part]))
}

const cell = (style: string, ...children: readonly (Node | string)[]): HTMLElement =>
  make('td', { role: 'cell', class: style }, ...children)

/** A figure, or that there is none. */
const figure = (name: string, text: string | null): HTMLElement =>
  cell(`figure ${text === null ? 'none' : name}`, text ?? NONE)

/** A request as a row of the table. */
export function makeRow(row: RequestRow): HTMLTableRowElement {
  const { id, at, model, caller, ms, tokens, dollars, serial } = row
  const why = make(
    'button',
    { type: 'button', class: 'quiet', 'data-why': id },
    'why',
    hidden(` request ${id}`),
  )
  return make(
    'tr',
    { role: 'row', 'data-serial': serial },
    cell('when', make('time', { datetime: new Date(at).toISOString() }, formatTime(at))),
    cell('model', model ?? NONE),
    cell('happened', ...happened(row)),
    cell('caller', caller ?? NONE),
    figure('took', ms === null ? null : formatTook(ms)),
    figure('tokens', tokens === null ? null : formatCount(tokens)),
    figure('cost', dollars === null ? null : formatCost(dollars)),
    cell('explain', why),
  )
}
