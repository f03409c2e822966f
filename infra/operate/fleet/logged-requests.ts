import { requestRowFields } from '../../explain/request-row.ts'
import {
  type RequestLine,
  type RequestOutcome,
  type RequestRow,
  requestLineSchema,
  requestRowSchema,
} from '../../request-contract.ts'
import type { FoundStack } from './find-stack.ts'
import { checkAnswer } from './read-answer.ts'
import { type LoggedLine, quotedForPattern, searchLog } from './search-log.ts'

/** Which requests are wanted; `model` leaves out those that were refused before they had one. */
export type RequestQuery = {
  outcomes: readonly RequestOutcome[] | null
  model: string | undefined
  limit: number
}

const MINUTE = 60_000
/** Lengths of the stretches that are searched, from now back: the newest requests are most likely close by. */
const STRETCHES = [MINUTE / 4, MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]
const MOST_PAGES = 60

const EVENT_OF = { completed: '$.event = "request-completed"', rejected: '$.event = "request-rejected"' }

/** Finds the last line of a request in the log; null = there is none. */
export async function findLoggedRequest(
  stack: FoundStack,
  { requestId, since }: { requestId: string; since: number },
): Promise<RequestLine | null> {
  const quoted = quotedForPattern(requestId, 'a request ID')
  const pattern = `{ (${EVENT_OF.completed} || ${EVENT_OF.rejected}) && $.requestId = ${quoted} }`
  for await (const lines of searchLog(stack, { pattern, since, mostPages: Number.POSITIVE_INFINITY })) {
    // A star in a pattern would have matched others. Where a client uses an id twice, its last request.
    const line = lines.findLast(found => isRequest(found) && found['requestId'] === requestId)
    if (line) return checkAnswer(requestLineSchema, line, `The log line of ${requestId}`)
  }
  return null
}

/** Finds the newest requests in the log, the newest first, with what `why` needs of them. */
export async function findNewestRequests(
  stack: FoundStack,
  query: RequestQuery,
  { now, since }: { now: number; since: number },
): Promise<{ row: RequestRow; line: RequestLine }[]> {
  const pattern = patternFor(query)
  const found: { row: RequestRow; line: RequestLine }[] = []
  let until: number | undefined
  for (const length of [...STRETCHES, Number.POSITIVE_INFINITY]) {
    const from = Math.max(since, now - length)
    const search = { pattern, since: from, ...(until !== undefined && { until }), mostPages: MOST_PAGES }
    const stretch: typeof found = []
    for await (const lines of searchLog(stack, search)) {
      stretch.push(
        ...lines
          .filter(isRequest)
          .map(read)
          .filter(({ row }) => isWanted(row, query)),
      )
      // Oldest first: what is wanted is at the end.
      stretch.splice(0, Math.max(0, stretch.length - query.limit))
    }
    found.push(...stretch.reverse())
    if (found.length >= query.limit || from === since) break
    until = from
  }
  return found.slice(0, query.limit)
}

/** Emulators of CloudWatch answer with every line where they do not know the pattern. */
const isRequest = ({ event }: LoggedLine): boolean =>
  event === 'request-completed' || event === 'request-rejected'

function patternFor({ outcomes, model }: RequestQuery): string {
  const ended = outcomes?.filter(outcome => outcome !== 'rejected').map(outcome => `$.outcome = "${outcome}"`)
  const ofModel = model === undefined ? [] : [`$.alias = ${quotedForPattern(model, 'the name of a model')}`]
  const inOutcomes = ended === undefined || ended.length === 0 ? [] : [`(${ended.join(' || ')})`]
  const completed = ended?.length === 0 ? [] : [[EVENT_OF.completed, ...inOutcomes, ...ofModel].join(' && ')]
  const wantsRejected = model === undefined && (outcomes?.includes('rejected') ?? true)
  return `{ ${[...completed.map(part => `(${part})`), ...(wantsRejected ? [`(${EVENT_OF.rejected})`] : [])].join(' || ')} }`
}

const isWanted = ({ outcome, alias }: RequestRow, { outcomes, model }: RequestQuery): boolean =>
  (outcomes?.includes(outcome) ?? true) && (model === undefined || alias === model)

function read(logged: LoggedLine): { row: RequestRow; line: RequestLine } {
  const line = checkAnswer(requestLineSchema, logged, 'A line of the log')
  return { line, row: checkAnswer(requestRowSchema, requestRowFields(logged), 'A line of the log') }
}
