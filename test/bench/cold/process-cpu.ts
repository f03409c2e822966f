import { existsSync, readFileSync, readdirSync } from 'node:fs'

const NANOSECONDS = 1e-6

/** Only Linux tells the time of a process by the nanosecond. */
export const missingForProcessCpu = (): string | null =>
  existsSync('/proc/self/schedstat')
    ? null
    : 'It reads CPU time from /proc/PID/task/*/schedstat, as Linux has it.'

/** How long a process has run on a CPU, all of its threads together, in milliseconds. */
export function processCpu(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const times = readdirSync(tasks).map(task => {
    const [ran = '0'] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ', 1)
    return Number(ran)
  })
  return times.reduce((sum, time) => sum + time, 0) * NANOSECONDS
}
