import { type Paint, printable } from '../terminal/paint.ts'
import type { RejectedLine } from '../request-contract.ts'
import { instantText } from './explain-skip.ts'
import { statusOfCode } from './request-row.ts'

/** What there is to say of a request that was refused before it had a plan, as lines for people. */
export function explainRejection(line: RejectedLine, now: number, paint: Paint): string[] {
  const { requestId, caller, code, param, at } = line
  const about = param === null ? '' : `, because of ${printable(param)}`
  const status = statusOfCode(code)
  const verdict = `Refused with ${status === null ? '' : `${status} `}${printable(code)}${about}`
  return [
    `${printable(requestId)}${at === undefined ? '' : `  ${instantText(at, now)}`}`,
    paint('red', verdict),
    '',
    'It was refused before an endpoint was chosen: no provider was called.',
    `Caller: ${caller === undefined ? 'unknown' : printable(caller)}`,
    'The error that the client got says what to change; lambdas/API.md#errors lists all codes.',
  ]
}
