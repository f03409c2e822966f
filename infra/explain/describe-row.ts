import type { RequestRow } from '../request-contract.ts'
import { formatDuration } from '../terminal/format-duration.ts'
import { type Paint, printable } from '../terminal/paint.ts'

/** What became of a request, in a clause: `503 all_quarantined (openai/gpt-4o: quarantined)`. */
export function describeRow(row: RequestRow, paint: Paint): string {
  const server = printable(row.servedBy ?? 'no endpoint')
  const because = causeOf(row)
  switch (row.outcome) {
    case 'answered': {
      const others = row.attempts.length - 1
      const after = others > 0 ? ` after ${others === 1 ? '1 other' : `${others} others`}` : ''
      const took = row.durationMs === null ? '' : ` in ${formatDuration(row.durationMs)}`
      return `${paint('green', 'answered')} by ${server}${after}${took}`
    }
    case 'client-left':
      return paint('yellow', 'the client disconnected')
    case 'cut':
      return `${paint('red', `cut, ${codeOf(row)}`)}${because}`
    case 'rejected':
      return `${paint('yellow', `refused, ${codeOf(row)}`)}${because}`
    case 'failed':
      return `${paint('red', codeOf(row))}${because}`
  }
}

const codeOf = ({ status, code }: RequestRow): string =>
  printable([status, code].filter(part => part !== null).join(' '))

/** The last failed attempt tells more than the ones before; where none was made, the first skipped endpoint does. */
function causeOf({ attempts, skipped }: RequestRow): string {
  const failed = attempts.findLast(({ outcome }) => outcome !== 'ok' && outcome !== 'hedged')
  if (failed) {
    const { endpoint, outcome, status } = failed
    return ` (${printable([endpoint, outcome, status].filter(part => part !== null).join(' '))})`
  }
  const [first] = skipped
  return first ? ` (${printable(first.endpoint)} skipped: ${printable(first.reason)})` : ''
}
