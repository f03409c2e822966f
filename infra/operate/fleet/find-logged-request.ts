import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { parseJsonObject } from '../../../lambdas/core/json.ts'
import { type CompletedLine, completedLineSchema } from '../../local-contract.ts'
import { awsError } from './aws-error.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { FoundStack } from './find-stack.ts'
import { checkAnswer } from './read-answer.ts'

/** What to look for, and from when on in epoch milliseconds. */
export type LoggedRequest = { requestId: string; since: number }

/** Finds the log line of a request in the log of a stack's gateway; null = there is none. */
export async function findLoggedRequest(
  { session, output }: FoundStack,
  { requestId, since }: LoggedRequest,
): Promise<CompletedLine | null> {
  // Neither could be quoted in a pattern.
  if (/["\\]/.test(requestId)) throw new CommandError(`'${requestId}' is not a request ID.`)
  const logGroupName = output('logGroup')
  const filterPattern = `{ $.event = "request-completed" && $.requestId = "${requestId}" }`
  const client = new CloudWatchLogsClient(session)
  try {
    let nextToken: string | undefined
    do {
      const query = { logGroupName, filterPattern, startTime: since, ...(nextToken && { nextToken }) }
      const page = await client.send(new FilterLogEventsCommand(query))
      const found = (page.events ?? []).map(({ message = '' }) => completedLine(message, requestId))
      // Where a client uses an id twice, its last request.
      const line = found.findLast(candidate => candidate !== null)
      if (line) return line
      ;({ nextToken } = page)
    } while (nextToken)
    return null
  } catch (error) {
    throw awsError(error, { what: `reading the log ${logGroupName}`, ...session })
  } finally {
    client.destroy()
  }
}

function completedLine(message: string, requestId: string): CompletedLine | null {
  const line = parseJsonObject(message)
  // A star in a pattern would have matched others.
  const isIt = line?.['event'] === 'request-completed' && line['requestId'] === requestId
  return isIt ? checkAnswer(completedLineSchema, line, `The log line of ${requestId}`) : null
}
