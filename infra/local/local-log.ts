import type { Log } from '../../lambdas/core/log-event.ts'
import type { Line } from '../terminal/line-writer.ts'
import { type Paint, plain } from '../terminal/paint.ts'
import { formatRequestLine } from './request-line.ts'
import type { RequestMemory } from './request-memory.ts'

export type LocalLogOptions = {
  memory: RequestMemory
  /** Every line as it is, for programs; else one line a request, for people. */
  json: boolean
  write: (line: Line) => void
  paint?: Paint
}

/** The gateway's log on this machine: remembers every finished request, and shows it. */
export function createLocalLog({ memory, json, write, paint = plain }: LocalLogOptions): Log {
  return line => {
    const completed = line.event === 'request-completed' ? line : null
    if (line.event === 'request-completed' || line.event === 'request-rejected') memory.remember(line)
    if (json) return write(() => JSON.stringify(line))
    if (completed) {
      const at = new Date()
      write(() => formatRequestLine(completed, at, paint))
    } else if ('error' in line) write(() => paint('red', line.error))
  }
}
