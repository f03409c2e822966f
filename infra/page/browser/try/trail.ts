import { headerText } from '../../../terminal/header-text.ts'
import type { Answer } from './answer.ts'
import { make } from '../dom.ts'
import { formatCost, formatCount, formatTook, spelledOut } from '../format.ts'

const FIELDS = 4

/** `x-backstop-chain`: endpoint, outcome, status and milliseconds of each call. */
function hopsOf(header: string | null): readonly HTMLElement[] {
  return headerText(header ?? '')
    .split(' > ')
    .filter(hop => hop.trim() !== '')
    .map(hop => {
      const parts = hop.split(';')
      // A header that had to be cut ends in dots instead of a hop, and an endpoint's name may hold a semicolon.
      if (parts.length < FIELDS) return make('span', { class: 'plain' }, hop)
      const [outcome = '', status = '', ms = ''] = parts.slice(-3)
      const endpoint = parts.slice(0, -3).join(';')
      const how = outcome === 'ok' ? '' : ` ${spelledOut(outcome)} ${status}`.trimEnd()
      return make(
        'span',
        { class: outcome === 'ok' ? 'good' : 'fair' },
        `${endpoint}${how} ${ms === '' ? '' : formatTook(Number(ms))}`.trim(),
      )
    })
}

/** What an answer cost and where it went. */
export function makeTrail(headers: Headers, { tokens, dollars }: Answer): readonly (Node | string)[] {
  const hops = hopsOf(headers.get('x-backstop-chain'))
  const chain = hops.flatMap((hop, index) => (index === 0 ? [hop] : [' → ', hop]))
  const figures = [
    tokens === null ? null : `${formatCount(tokens)} tokens`,
    dollars === null ? null : formatCost(dollars),
  ].filter(part => part !== null)
  return [...chain, ...figures.map(text => `${chain.length > 0 ? ' · ' : ''}${text}`)]
}
