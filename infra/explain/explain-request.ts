import { formatDuration } from '../terminal/format-duration.ts'
import { formatDollars } from '../../lambdas/core/format-dollars.ts'
import type { CompletedLine } from '../local-contract.ts'
import { explainRank } from './explain-rank.ts'
import { explainSkip, instantText } from './explain-skip.ts'
import { formatHop } from '../terminal/hop.ts'
import { type Paint, oneLine, printable } from '../terminal/paint.ts'

/** Why a request went where it went: outcome, plan, skips and attempts, as lines for people. */
export function explainRequest(line: CompletedLine, paint: Paint): string[] {
  return [
    `${paint('bold', printable(line.alias))}  ${printable(line.requestId)}${endedAt(line)}`,
    headline(line, paint),
    ...(line.traceId === undefined ? [] : [paint('dim', `Trace ${printable(line.traceId)}`)]),
    '',
    paint('bold', 'Plan'),
    ...planLines(line, paint),
    ...section('Skipped', skipLines(line), paint),
    ...section('Attempts', attemptLines(line, paint), paint),
    ...section('Tokens and cost', tokenLines(line), paint),
  ]
}

const endedAt = ({ at }: CompletedLine): string =>
  at === undefined ? '' : `  ${instantText(at, Date.now())}`

function headline(line: CompletedLine, paint: Paint): string {
  const how = `${line.stream ? 'streamed' : 'not streamed'}, ${formatDuration(line.durationMs)} in all`
  const first = line.firstTokenMs === null ? '' : `, first token after ${formatDuration(line.firstTokenMs)}`
  return `${verdict(line, paint)} (${how}${first})`
}

function verdict({ outcome, servedBy, status, code }: CompletedLine, paint: Paint): string {
  const server = printable(servedBy ?? 'no endpoint')
  switch (outcome) {
    case 'answered':
      return paint('green', `Answered by ${server}`)
    case 'cut':
      return paint('red', `Cut while ${server} was answering${code === null ? '' : `: ${code}`}`)
    case 'client-left':
      return paint('yellow', 'The client disconnected before the end')
    case 'failed':
      return paint('red', `Failed with ${[status, code].filter(part => part !== null).join(' ')}`)
  }
}

function planLines({ plan, attempts }: CompletedLine, paint: Paint): string[] {
  if (plan.candidates.length === 0) return ['  no endpoint could be called']
  const asked = new Set(attempts.map(({ id }) => id))
  return plan.candidates.flatMap(({ endpoint, id, tier, suspect, sticky, rank }, index) => {
    const notes = [
      suspect ? 'suspect' : '',
      sticky ? 'served this conversation last' : '',
      asked.has(id) ? '' : 'not needed',
    ].filter(note => note !== '')
    const shown = notes.length > 0 ? paint('dim', `  (${notes.join(', ')})`) : ''
    return [
      `  ${index + 1}. tier ${tier}  ${printable(endpoint)}${shown}`,
      ...(rank === undefined ? [] : [`       ${paint('dim', explainRank(rank))}`]),
    ]
  })
}

const skipLines = ({ plan }: CompletedLine): string[] =>
  plan.skipped.map(
    skip => `  tier ${skip.tier}  ${printable(skip.endpoint)}: ${explainSkip(skip, Date.now())}`,
  )

const attemptLines = ({ attempts }: CompletedLine, paint: Paint): string[] =>
  attempts.flatMap(attempt => {
    const start = paint('dim', `+${formatDuration(attempt.startedAfterMs)}`.padStart(9))
    const key = attempt.key === null ? '' : paint('dim', `  key ${printable(attempt.key)}`)
    const message = attempt.message === null ? [] : [`             ${paint('dim', oneLine(attempt.message))}`]
    return [`  ${start}  ${formatHop(attempt, paint)}${key}`, ...message]
  })

/** What the answer cost, or why nobody knows; nothing where there was no whole answer to pay for. */
function costLines({ outcome, servedBy, usage, dollars }: CompletedLine): string[] {
  if (dollars !== null) return [`  $${formatDollars(dollars)} for the answer`]
  if (servedBy === null || outcome !== 'answered') return []
  return usage === null
    ? ['  cost not known: the provider reported no tokens']
    : [`  cost not known: there is no price of ${printable(servedBy)}`]
}

function tokenLines(line: CompletedLine): string[] {
  const {
    usage,
    promptTokensEstimate,
    retryTokens,
    retryTokenBudget,
    lostDollars,
    finishReason,
    malformedEvents,
  } = line
  const counted = usage
    ? `${usage.promptTokens} in, ${usage.completionTokens} out, as reported by the provider`
    : 'the provider reported none'
  const allowed = `of at most ${retryTokenBudget}; the delivered answer is not counted`
  const retries = retryTokens > 0 ? [`  ${retryTokens} spent on retries, ${allowed}`] : []
  const lost = lostDollars ? [`  $${formatDollars(lostDollars)} for attempts that gave no whole answer`] : []
  const malformed = malformedEvents > 0 ? [`  ${malformedEvents} malformed events were dropped`] : []
  const finish = finishReason === null ? [] : [`  finish reason: ${printable(finishReason)}`]
  return [
    `  ${counted} (estimated before the call: ${promptTokensEstimate} in)`,
    ...costLines(line),
    ...lost,
    ...retries,
    ...finish,
    ...malformed,
  ]
}

const section = (title: string, lines: string[], paint: Paint): string[] =>
  lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
