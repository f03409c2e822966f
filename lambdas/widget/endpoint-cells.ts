import { describeRefusal } from '../core/refusals/refusals.ts'
import type { EndpointRow } from '../engine/memory/describe-fleet.ts'
import { breakName } from './break-name.ts'
import { NOTHING, html, type Html } from './html.ts'
import type { Palette, Tone } from './palette.ts'
import { ago, until } from './time-words.ts'

/** What a cell is drawn with. */
export type Brush = { palette: Palette; now: number }

/** What an endpoint is, in the order of what matters more; only what nothing bars is healthy. */
const STATE_TONES = {
  healthy: 'good',
  suspect: 'fair',
  quarantined: 'bad',
  retired: 'bad',
  paused: 'bad',
  'cooling down': 'fair',
} as const satisfies Record<string, Tone>
export type StateWord = keyof typeof STATE_TONES

export function stateWord({ health, retired, breaker, cooldowns }: EndpointRow): StateWord {
  if (health !== 'healthy') return retired ? 'retired' : health
  if (breaker !== 'closed') return 'paused'
  return cooldowns.length > 0 ? 'cooling down' : 'healthy'
}
const BREAKER_TONES: Readonly<Record<EndpointRow['breaker'], Tone>> = {
  closed: 'quiet',
  'half-open': 'fair',
  open: 'bad',
}
const LONGEST_MESSAGE = 90
const GOOD_SHARE = 0.95
const FAIR_SHARE = 0.8

const numbers = new Intl.NumberFormat('en-US')
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })

const muted = (text: string, { palette }: Brush): Html =>
  html`<span style="color:${palette.muted};white-space:nowrap">${text}</span>`

const none = (brush: Brush): Html => muted('\u2013', brush)

/** A word in its tone behind a dot, so that colour is never all that tells. */
function mark(word: string, tone: Tone, { palette }: Brush): Html {
  const colour = palette.tones[tone]
  const dot = html`<span
    style="display:inline-block;width:8px;height:8px;border-radius:4px;background:${colour};margin-right:6px"
  ></span>`
  return html`<span style="color:${colour};white-space:nowrap">${dot}${word}</span>`
}

/** The endpoint, what it has shown that it cannot do, and what its provider lists in its place. */
export function nameCell({ endpoint, refuses, suggestion }: EndpointRow, brush: Brush): Html {
  const below = (text: string): Html =>
    html`<br /><span style="color:${brush.palette.muted};overflow-wrap:anywhere">${text}</span>`
  const refused =
    refuses.length === 0 ? NOTHING : below(`refused: ${refuses.map(describeRefusal).join(', ')}`)
  const successor = suggestion === null ? NOTHING : below(`its provider lists ${suggestion}`)
  return html`<span style="display:inline-block;min-width:130px;font-weight:600;overflow-wrap:break-word"
      >${breakName(endpoint)}</span
    >${refused}${successor}`
}

export function healthCell(row: EndpointRow, brush: Brush): Html {
  const word = stateWord(row)
  const since = row.since === null ? NOTHING : html`<br />${muted(ago(row.since, brush.now), brush)}`
  const { by_hand: reason } = row
  const order =
    reason === undefined
      ? NOTHING
      : html`<br /><span style="color:${brush.palette.muted};overflow-wrap:anywhere"
            >${reason === '' ? 'by hand' : `by hand: ${reason}`}</span
          >`
  return html`${mark(word, STATE_TONES[word], brush)}${order}${since}`
}

export const probeCell = ({ next_probe_at }: EndpointRow, brush: Brush): Html =>
  next_probe_at === null
    ? none(brush)
    : html`<span style="white-space:nowrap">${until(next_probe_at, brush.now)}</span>`

export function breakerCell({ breaker, trial_at }: EndpointRow, brush: Brush): Html {
  if (breaker === 'closed') return muted('closed', brush)
  const trial =
    trial_at === null ? NOTHING : html`<br />${muted(`trial ${until(trial_at, brush.now)}`, brush)}`
  return html`${mark(breaker, BREAKER_TONES[breaker], brush)}${trial}`
}

/** Each cooldown with what cools down: a key is shown by its fingerprint. */
export function cooldownCell({ cooldowns }: EndpointRow, brush: Brush): Html {
  if (cooldowns.length === 0) return none(brush)
  return html`${cooldowns.map(({ scope, key, reason, until: ends }, index) => {
    const what = key === null ? scope : `key ${key}`
    const line = html`${mark(reason, 'fair', brush)}<br />${muted(`${what}, ends ${until(ends, brush.now)}`, brush)}`
    return index === 0 ? line : html`<br />${line}`
  })}`
}

export function shareCell({ successes, failures }: EndpointRow, brush: Brush): Html {
  const { palette } = brush
  const all = successes + failures
  if (all === 0) return none(brush)
  const share = successes / all
  const tone = share >= GOOD_SHARE ? 'good' : share >= FAIR_SHARE ? 'fair' : 'bad'
  const bar = html`<span
    style="display:inline-block;vertical-align:middle;width:56px;height:6px;border-radius:3px;overflow:hidden;background:${palette.track};margin-right:8px"
    ><span
      style="display:block;height:6px;width:${Math.round(share * 100)}%;background:${palette.tones[tone]}"
    ></span
  ></span>`
  // 99.96 % is not all of them.
  const words = share < 1 && share > 0.999 ? '> 99.9%' : percent.format(share)
  return html`<span style="white-space:nowrap">${bar}${words}</span
    ><br />${muted(`of ${numbers.format(all)}`, brush)}`
}

export function failureCell({ last_failure }: EndpointRow, brush: Brush): Html {
  if (!last_failure) return none(brush)
  const { kind, status, message, at } = last_failure
  const short = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}\u2026` : message
  const head = `${kind}${status === null ? '' : ` (${status})`}, ${ago(at, brush.now)}`
  return html`<span style="display:inline-block;min-width:180px" title="${message}"
    >${head}<br /><span style="color:${brush.palette.muted};overflow-wrap:anywhere">${short}</span></span
  >`
}
