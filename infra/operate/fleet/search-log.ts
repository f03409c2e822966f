import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { isJsonObject, parseJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { awsError } from './aws-error.ts'
import type { FoundStack } from './find-stack.ts'

/** What to look for in a log, and when: `since` is part of it, `until` is not; epoch milliseconds. */
export type LogSearch = {
  pattern: string
  since: number
  until?: number
  /** Throws where more pages of the log would have to be read. */
  mostPages: number
}

/** A structured line of the log, with the instant of its event. */
export type LoggedLine = JsonObject & { at: number }

/** Reads the lines of a stack's gateway that match, oldest first, page by page. */
export async function* searchLog(
  { session, output }: FoundStack,
  { pattern, since, until, mostPages }: LogSearch,
): AsyncGenerator<readonly LoggedLine[]> {
  const logGroupName = output('logGroup')
  const client = new CloudWatchLogsClient(session)
  // CloudWatch includes the last millisecond.
  const range = { startTime: since, ...(until !== undefined && { endTime: until - 1 }) }
  try {
    let nextToken: string | undefined
    for (let pages = 0; pages === 0 || nextToken; pages++) {
      if (pages === mostPages)
        throw new CommandError(
          `The log ${logGroupName} has too many lines to search. Narrow the search with --model, --failed or a smaller --hours.`,
        )
      const query = { logGroupName, filterPattern: pattern, ...range, ...(nextToken && { nextToken }) }
      const page = await client.send(new FilterLogEventsCommand(query))
      yield (page.events ?? []).flatMap(({ message = '', timestamp = since }) => {
        const line = parseJsonObject(message)
        return isJsonObject(line) ? [{ ...line, at: timestamp }] : []
      })
      ;({ nextToken } = page)
    }
  } catch (error) {
    throw awsError(error, {
      what: `reading the log ${logGroupName}`,
      action: 'logs:FilterLogEvents',
      ...session,
    })
  } finally {
    client.destroy()
  }
}

/** A text as a filter pattern quotes it. Throws where it cannot be. */
export function quotedForPattern(text: string, what: string): string {
  if (/["\\]/.test(text)) throw new CommandError(`'${text}' is not ${what}.`)
  return `"${text}"`
}
