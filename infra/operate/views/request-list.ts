import { describeRow } from '../../explain/describe-row.ts'
import { instantText } from '../../explain/explain-skip.ts'
import type { RequestRow } from '../../request-contract.ts'
import { type Paint, printable } from '../../terminal/paint.ts'

/** Requests in two lines each: when, which model and what became of it; below it the ID for `why`, never cut. */
export const requestList = (rows: readonly RequestRow[], now: number, paint: Paint): string[] =>
  rows.flatMap(row => {
    const at = instantText(row.at, now)
    const model = row.alias === null ? '' : `  ${paint('bold', printable(row.alias))}`
    return [
      `${at}${model}  ${describeRow(row, paint)}`,
      `${' '.repeat(at.length)}  ${paint('dim', printable(row.requestId))}`,
    ]
  })
