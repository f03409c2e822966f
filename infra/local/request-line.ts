import { formatDollars } from '../../lambdas/core/format-dollars.ts'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import { type Hop, formatHop } from '../terminal/hop.ts'
import { type Paint, printable } from '../terminal/paint.ts'

/** One finished request in one line for people: when, what was asked for, each hop, and how it ended if not well. */
export function formatRequestLine(line: RequestCompleted, at: Date, paint: Paint): string {
  const time = paint('dim', at.toTimeString().slice(0, 8))
  const hops = line.attempts.map(attempt => formatHop(attempt satisfies Hop, paint)).join(' > ')
  const alias = paint('bold', printable(line.alias))
  return [
    `${time} ${alias}  ${hops || 'no endpoint was called'}`,
    endOf(line, paint),
    costOf(line, paint),
    paint('dim', printable(line.requestId)),
  ]
    .filter(part => part !== '')
    .join('  ')
}

/** What was paid, for the answer and in vain; nothing where no price is known. */
function costOf({ dollars, lostDollars }: RequestCompleted, paint: Paint): string {
  const paid = (dollars ?? 0) + (lostDollars ?? 0)
  return dollars === null && paid === 0 ? '' : paint('dim', `$${formatDollars(paid)}`)
}

function endOf({ outcome, status, code }: RequestCompleted, paint: Paint): string {
  switch (outcome) {
    case 'answered':
      return ''
    case 'cut':
      return paint('red', 'cut')
    case 'client-left':
      return paint('yellow', 'client left')
    case 'failed':
      return paint('red', `= ${[status, code].filter(part => part !== null).join(' ')}`)
  }
}
