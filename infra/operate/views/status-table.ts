import { formatSpan } from '../../../lambdas/core/format-span.ts'
import { describeRefusal } from '../../../lambdas/core/refusals/refusals.ts'
import { byHandWords, nextWords } from '../../../lambdas/core/routing/view/hop-words.ts'
import { type HopView, nextOf } from '../../../lambdas/core/routing/view/model-view.ts'
import type { SkipReason } from '../../../lambdas/core/routing/plan.ts'
import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { type Paint, type Style, oneLine, printable } from '../../terminal/paint.ts'
import { type Cell, type Column, NONE, cutEnd, textTable } from '../../terminal/text-table.ts'
import { leftOut, markOf } from './chain-lines.ts'

const COLUMNS: readonly Column[] = [
  { title: ' ' },
  { title: 'endpoint', least: 16 },
  { title: 'state' },
  { title: 'then' },
  { title: 'ok in 7 days', spare: true },
]

/** So many rows are all shown; of more, those of healthy endpoints are left out. */
const FEW_ROWS = 20
const MOST_ROWS = 40
/** What failed so lately is told, although the endpoint is well. */
const LATELY_MS = 15 * 60_000

type View = { now: number; width: number; paint: Paint; all: boolean }
type Known = { row: EndpointRow; hop: HopView | undefined }

/**
 * Every endpoint in a line, in the order of the configuration, with whether a request would call it now; below it what it
 * refused, and what was seen last.
 */
export function statusTable(
  rows: readonly EndpointRow[],
  hops: ReadonlyMap<string, HopView>,
  view: View,
): string[] {
  const { paint, width, now, all } = view
  const known = rows.map((row): Known => ({ row, hop: hops.get(row.id) }))
  const isFolded = !all && rows.length > FEW_ROWS
  const told = isFolded ? known.filter(one => !isWell(one) && !isOnlyPaused(one)) : known
  const paused = isFolded ? known.filter(isOnlyPaused).length : 0
  const shown = all ? told : told.slice(0, MOST_ROWS)
  const { title, lines } = textTable(
    COLUMNS,
    shown.map(one => cellsOf(one, now)),
    view,
  )
  const withFailures = shown.flatMap((one, index) => {
    const { row } = one
    const below = [byHandText(row), refusalText(row, now), failureText(one, now), adviceText(row)].filter(
      text => text !== null,
    )
    return [lines[index] ?? '', ...below.map(text => paint('dim', cutEnd(`     ${text}`, width)))]
  })
  const healthy = known.length - told.length - paused
  const left = [
    ...(told.length > shown.length ? [`${told.length - shown.length} more that are not well`] : []),
    ...(paused > 0 ? [`${endpoints(paused)} of paused providers`] : []),
    ...(healthy > 0
      ? [`${healthy.toLocaleString('en-US')} healthy ${healthy === 1 ? 'endpoint' : 'endpoints'}`]
      : []),
  ]
  return [...(shown.length > 0 ? [paint('dim', title)] : []), ...withFailures, ...leftOut(left, view)]
}

const endpoints = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'endpoint' : 'endpoints'}`

/** Its provider's trouble says it all. */
const isOnlyPaused = ({ row, hop }: Known): boolean =>
  hop?.reason === 'breaker_open' && row.health === 'healthy' && row.cooldowns.length === 0

/** Nothing is known that speaks against it. */
const isWell = ({ row, hop }: Known): boolean =>
  row.health === 'healthy' &&
  (hop ? hop.called && !hop.test : row.usable) &&
  row.breaker === 'closed' &&
  row.cooldowns.length === 0

function cellsOf(one: Known, now: number): Cell[] {
  const { row, hop } = one
  const next = hop && nextOf(hop)
  const probe = row.next_probe_at === null ? null : ({ what: 'probe', at: row.next_probe_at } as const)
  const then = next ?? (row.health === 'healthy' ? null : probe)
  return [
    isWell(one) ? { text: '' } : signOf(one),
    { text: printable(row.endpoint) },
    stateCell(one, now),
    { text: then ? nextWords(then, now) : NONE },
    { text: shareOf(row) },
  ]
}

function signOf({ row, hop }: Known): Cell {
  if (row.health === 'quarantined') return { text: '✗', style: 'red' }
  return hop ? markOf(hop) : { text: '!', style: 'yellow' }
}

const STATES: Readonly<Partial<Record<SkipReason, [string, Style]>>> = {
  no_key: ['no key', 'dim'],
  breaker_open: ['provider paused', 'red'],
  cooldown: ['cooling down', 'yellow'],
  quota: ['limit spent', 'yellow'],
}

/** Whether it would be called, before how its health is. */
function stateCell({ row, hop }: Known, now: number): Cell {
  const { health, retired, since, missing_key: missingKey } = row
  const forSo = since === null ? '' : ` ${formatSpan(now - since)}`
  if (health === 'quarantined') return { text: `${retired ? 'retired' : health}${forSo}`, style: 'red' }
  const reason = hop?.reason ?? (missingKey ? 'no_key' : null)
  if (reason !== null) {
    const [text, style] = STATES[reason] ?? ['cannot serve', 'yellow']
    return { text, style }
  }
  if (hop?.test) return { text: 'test now', style: 'yellow' }
  if (health === 'suspect') return { text: `suspect${forSo}`, style: 'yellow' }
  return row.usable ? { text: 'healthy', style: 'green' } : { text: 'not usable', style: 'yellow' }
}

function shareOf({ successes, failures }: EndpointRow): string {
  const all = successes + failures
  if (all === 0) return NONE
  // Rounded down: what failed once is not at 100 %.
  return `${Math.floor((successes / all) * 100)} % of ${all.toLocaleString('en-US')}`
}

/** Who quarantined it, where that was a person. */
const byHandText = ({ by_hand: reason }: EndpointRow): string | null =>
  reason === undefined ? null : oneLine(byHandWords(reason))

/** What the endpoint cannot do, and for how long that is believed. */
function refusalText({ refuses }: EndpointRow, now: number): string | null {
  if (refuses.length === 0) return null
  const told = refuses.map(refusal => `${describeRefusal(refusal)} (${toGo(refusal.until, now)})`)
  return printable(`refused: ${told.join(', ')}`)
}

const toGo = (at: number, now: number): string => (at <= now ? 'now' : formatSpan(at - now))

function failureText(one: Known, now: number): string | null {
  const { last_failure: failure } = one.row
  if (!failure || (isWell(one) && now - failure.at > LATELY_MS)) return null
  const { kind, status, message, at } = failure
  const what = [kind, status].filter(part => part !== null).join(' ')
  return `${what} ${formatSpan(Math.max(0, now - at))} ago: ${oneLine(message)}`
}

/** What to do about a model that does not come back. */
function adviceText({ retired, suggestion }: EndpointRow): string | null {
  if (!retired) return null
  const successor = suggestion === null ? '' : ` Its provider lists ${printable(suggestion)}.`
  return `The model is gone.${successor} Change the configuration.`
}
