import { existsSync, readdirSync, readFileSync } from 'node:fs'

export type ProcessMemory = { pid: number; role: 'gateway' | 'table'; rssMb: number; pssMb: number }

const KB_PER_MB = 1_000
const BYTES_PER_KB = 1_024

export const missingForMemory = (): string | null =>
  existsSync('/proc/self/smaps_rollup') ? null : 'it reads /proc, which only Linux has.'

/** The processes that this one has started, and theirs. */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // pid (name) state parent …
        const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(name), parent: Number(parent) }]
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
  const children = parents.filter(({ parent }) => parent === pid).map(found => found.pid)
  return [...children, ...children.flatMap(descendantsOf)]
}

/** The memory of a gateway and of what it has started, in MB. PSS counts pages that several share once. */
export function memoryOf(gateway: number): ProcessMemory[] {
  return [gateway, ...descendantsOf(gateway)].map(pid => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const megabytes = (name: string): number => {
      const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? []
      return (Number(kilobytes) * BYTES_PER_KB) / KB_PER_MB / 1_000
    }
    return {
      pid,
      role: pid === gateway ? 'gateway' : 'table',
      rssMb: megabytes('Rss'),
      pssMb: megabytes('Pss'),
    }
  })
}
