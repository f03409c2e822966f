import { describeRefusal } from '../../../lambdas/core/refusals/refusals.ts'
import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { formatSpan } from '../../../lambdas/core/format-span.ts'
import { type Paint, oneLine, printable } from '../../terminal/paint.ts'
import { type Cell, type Column, cutEnd, textTable } from '../../terminal/text-table.ts'

const NONE = '–'
const HEALTH_STYLES = { healthy: 'green', suspect: 'yellow', quarantined: 'red' } as const
const COLUMNS: readonly Column[] = [
  { title: ' ' },
  { title: 'endpoint', least: 24 },
  { title: 'health' },
  { title: 'since' },
  { title: 'cooldown', least: 12 },
  { title: 'breaker' },
  { title: 'probe in' },
  { title: 'ok in 7 days' },
]

type View = { now: number; width: number; paint: Paint }

/**
 * Every endpoint in a line, in the order of the configuration; below it what it refused, and where it is not healthy, what
 * was seen last.
 */
export function statusTable(rows: readonly EndpointRow[], view: View): string[] {
  const { paint, width } = view
  const { title, lines } = textTable(
    COLUMNS,
    rows.map(row => cellsOf(row, view.now)),
    view,
  )
  const withFailures = rows.flatMap((row, index) => {
    const below = [refusalText(row, view.now), failureText(row), adviceText(row)].filter(
      text => text !== null,
    )
    return [lines[index] ?? '', ...below.map(text => paint('dim', cutEnd(`     ${text}`, width)))]
  })
  return [paint('dim', title), ...withFailures]
}

function cellsOf(row: EndpointRow, now: number): Cell[] {
  const { since, next_probe_at: nextProbeAt } = row
  return [
    markOf(row),
    { text: printable(row.endpoint) },
    stateCell(row),
    { text: since === null ? NONE : formatSpan(now - since) },
    cooldownCell(row, now),
    breakerCell(row, now),
    { text: nextProbeAt === null ? NONE : toGo(nextProbeAt, now) },
    { text: shareOf(row) },
  ]
}

function stateCell({ missing_key: missingKey, retired, health }: EndpointRow): Cell {
  if (missingKey) return { text: 'no key', style: 'dim' }
  return { text: retired ? 'retired' : health, style: HEALTH_STYLES[health] }
}

/** So that what is wrong is seen without colour too. */
function markOf({ health, breaker, cooldowns, usable, missing_key: missingKey }: EndpointRow): Cell {
  if (health === 'quarantined') return { text: '✗', style: 'red' }
  if (missingKey) return { text: '' }
  const isWell = usable && health === 'healthy' && breaker === 'closed' && cooldowns.length === 0
  return isWell ? { text: '' } : { text: '!', style: 'yellow' }
}

function cooldownCell({ cooldowns }: EndpointRow, now: number): Cell {
  const [longest] = cooldowns.toSorted((one, other) => other.until - one.until)
  if (!longest || longest.until <= now) return { text: NONE }
  return { text: `${longest.reason} ${toGo(longest.until, now)}`, style: 'yellow' }
}

function breakerCell({ breaker, trial_at: trialAt }: EndpointRow, now: number): Cell {
  if (breaker === 'closed') return { text: breaker, style: 'dim' }
  if (breaker === 'half-open') return { text: 'half-open: trial out', style: 'yellow' }
  const due = trialAt === null || trialAt <= now ? 'due' : `in ${toGo(trialAt, now)}`
  return { text: `open: trial ${due}`, style: 'red' }
}

const toGo = (at: number, now: number): string => (at <= now ? 'due' : formatSpan(at - now))

function shareOf({ successes, failures }: EndpointRow): string {
  const all = successes + failures
  if (all === 0) return NONE
  // Rounded down: what failed once is not at 100 %.
  return `${Math.floor((successes / all) * 100)} % of ${all.toLocaleString('en-US')}`
}

/** What the endpoint cannot do, and for how long that is believed. */
function refusalText({ refuses }: EndpointRow, now: number): string | null {
  if (refuses.length === 0) return null
  const told = refuses.map(refusal => `${describeRefusal(refusal)} (${toGo(refusal.until, now)})`)
  return printable(`refused: ${told.join(', ')}`)
}

function failureText({ last_failure: failure }: EndpointRow): string | null {
  if (!failure) return null
  const { kind, status, message } = failure
  return `${[kind, status].filter(part => part !== null).join(' ')}: ${oneLine(message)}`
}

/** What to do about a model that does not come back. */
function adviceText({ retired, suggestion }: EndpointRow): string | null {
  if (!retired) return null
  const successor = suggestion === null ? '' : ` Its provider lists ${printable(suggestion)}.`
  return `The model is gone.${successor} Change the configuration.`
}
