import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { metricsOfLine } from '../../../lambdas/platform/metrics-of-line.ts'

/** What the log says of a request: its outcome, or that it was refused before it had a plan, because of a limit or not. */
export type LoggedEnd = 'answered' | 'cut' | 'failed' | 'client-left' | 'limited' | 'rejected'

export type SoakLog = {
  /** What the log says of each request, by its id: once, if all is well. */
  ends: ReadonlyMap<string, readonly LoggedEnd[]>
  /** Requests with a plan, by the log and by its metrics. */
  readonly completed: number
  readonly metered: number
  /** Calls that gave a whole answer. */
  readonly answeredCalls: number
  /** Calls of the table that failed, by what failed. */
  tableErrors: Record<string, number>
  note(line: LogEvent): void
}

/** Keeps what a log says of requests, to compare it with what their clients saw, and with the table. */
export function createSoakLog(): SoakLog {
  const ends = new Map<string, LoggedEnd[]>()
  const tableErrors: Record<string, number> = {}
  let [completed, metered, answeredCalls] = [0, 0, 0]
  const end = (id: string, how: LoggedEnd): void => void ends.set(id, [...(ends.get(id) ?? []), how])
  return {
    ends,
    tableErrors,
    get completed() {
      return completed
    },
    get metered() {
      return metered
    },
    get answeredCalls() {
      return answeredCalls
    },
    note(line) {
      if (line.event === 'state-error') tableErrors[line.error] = (tableErrors[line.error] ?? 0) + 1
      if (line.event === 'request-rejected')
        end(line.requestId, line.code === 'client_limit_reached' ? 'limited' : 'rejected')
      if (line.event !== 'request-completed') return
      end(line.requestId, line.outcome)
      completed += 1
      if (line.outcome === 'answered') answeredCalls += 1
      for (const { values } of metricsOfLine(line, new Map([[line.alias, line.alias]]))) {
        const requests = values?.metrics['Requests']
        if (typeof requests === 'number') metered += requests
      }
    },
  }
}
