import { headerText } from './header-text.ts'
import { formatDuration } from './format-duration.ts'
import { type Paint, printable } from './paint.ts'

/** One endpoint that was asked, and what came of it. */
export type Hop = { endpoint: string; outcome: string; status: number | null; durationMs: number | null }

const FIELDS = 4

/** Reads `x-backstop-chain`. */
export function parseChain(header: string | null): Hop[] {
  return headerText(header ?? '')
    .split(' > ')
    .filter(hop => hop.trim() !== '')
    .map(parseHop)
}

/** `openai/gpt-4o rate_limit 429 12 ms`: green where it answered, red where it failed. */
export function formatHop({ endpoint, outcome, status, durationMs }: Hop, paint: Paint): string {
  const result = [outcome, status].filter(part => part !== null && part !== '').join(' ')
  const style = outcome === 'ok' ? 'green' : outcome === 'hedged' ? 'dim' : 'red'
  const shown = result === '' ? '' : ` ${paint(style, printable(result))}`
  const duration = durationMs === null ? '' : ` ${paint('dim', formatDuration(durationMs))}`
  return `${printable(endpoint)}${shown}${duration}`
}

function parseHop(hop: string): Hop {
  // From the right: only an endpoint's name could hold a semicolon.
  const parts = hop.trim().split(';')
  // A header that had to be cut ends in dots instead of a hop.
  if (parts.length < FIELDS) return { endpoint: hop.trim(), outcome: '', status: null, durationMs: null }
  const [outcome = '', status, durationMs] = parts.slice(-3)
  return {
    endpoint: parts.slice(0, -3).join(';'),
    outcome,
    status: readNumber(status),
    durationMs: readNumber(durationMs),
  }
}

function readNumber(text: string | undefined): number | null {
  const value = Number(text)
  return text === undefined || text === '' || Number.isNaN(value) ? null : value
}
