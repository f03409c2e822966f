import { explainRejection } from '../../explain/explain-rejection.ts'
import { explainRequest } from '../../explain/explain-request.ts'
import type { RequestLine } from '../../request-contract.ts'
import type { Paint } from '../../terminal/paint.ts'
import type { Explanation, Span } from '../page-contract.ts'

/** Control characters never come from a stranger: the explanation has none left of theirs. */
const [BEGIN, THEN, END] = ['\u0001', '\u0002', '\u0003']
const mark: Paint = (style, text) => `${BEGIN}${style}${THEN}${text}${END}`
const MARKED = new RegExp(`${BEGIN}(\\w+)${THEN}([^${END}]*)${END}`, 'g')

function spansOf(line: string): Span[] {
  const spans: Span[] = []
  let end = 0
  const plainTo = (index: number): void => {
    if (index > end) spans.push({ style: null, text: line.slice(end, index) })
  }
  for (const { 0: whole, 1: style = '', 2: text = '', index } of line.matchAll(MARKED)) {
    plainTo(index)
    spans.push({ style, text })
    end = index + whole.length
  }
  plainTo(line.length)
  return spans
}

/** What `npm run why` prints of a request, with its styles. */
export function explainLine(line: RequestLine, now: number): Explanation {
  const lines =
    line.event === 'request-completed' ? explainRequest(line, mark) : explainRejection(line, now, mark)
  return { id: line.requestId, lines: lines.map(spansOf) }
}
