import type { Soak } from './run-soak.ts'
import { leftOpen } from './run-soak.ts'
import type { ClientEnd, Sent } from './soak-client.ts'
import type { LoggedEnd, SoakLog } from './soak-log.ts'
import type { SoakTable } from './soak-table.ts'

/** A process that holds what every request left behind would grow by more. */
const MOST_GROWTH = 1.1

/** What the log may say of a request that ended like this for its client, in exactly one line. */
const LINES: Readonly<Record<ClientEnd, readonly LoggedEnd[]>> = {
  answered: ['answered'],
  cut: ['cut'],
  failed: ['failed'],
  limited: ['limited'],
  // Its answer may have been complete, or cut, when it left.
  left: ['client-left', 'answered', 'cut'],
  'left failing': ['failed', 'limited'],
  'left early': ['client-left', 'answered', 'cut', 'failed', 'limited'],
  unsent: ['client-left', 'answered', 'cut', 'failed', 'limited'],
}

/** These may never have arrived. */
const MAY_BE_MISSING: ReadonlySet<ClientEnd> = new Set(['left early', 'unsent'])

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

/** How often each of these words is there. */
export const tally = (words: Iterable<string>): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, word => word)].map(([word, all]) => [word, all.length]))

/** Requests whose end the log does not tell in one line of the right kind; by what is wrong. */
function wrongLines(sent: Sent, { ends }: Pick<SoakLog, 'ends'>): string[] {
  const wrong = [...sent].flatMap(([id, end]) => {
    const lines = ends.get(id) ?? []
    if (lines.length === 0 && MAY_BE_MISSING.has(end)) return []
    const [line] = lines
    if (lines.length === 1 && line !== undefined && LINES[end].includes(line)) return []
    return [`${id.split('-')[0]}, ${end} for the client: ${lines.join(' and ') || 'nothing'} in the log`]
  })
  const unknown = [...ends.keys()].filter(id => !sent.has(id)).map(() => 'in the log, but never sent')
  return Object.entries(tally([...wrong, ...unknown])).map(([what, count]) => `${count} x ${what}`)
}

/** Which counts are not those of what was sent; empty = none. */
export function judgeCounts(sent: Sent, log: Omit<SoakLog, 'note'>, table: SoakTable): string[] {
  const faults = wrongLines(sent, log)
  const check = (isRight: boolean, fault: string): void => void (isRight ? undefined : faults.push(fault))
  check(log.metered === log.completed, `${log.completed} requests in the log, ${log.metered} in its metrics`)
  const errors = sum(Object.values(log.tableErrors))
  // What an endpoint has answered is written once: a statistic, of which a failed call of the table may lose a part.
  const isTold =
    errors > 0 ? table.answeredCalls <= log.answeredCalls : table.answeredCalls === log.answeredCalls
  check(isTold, `${log.answeredCalls} answered calls in the log, ${table.answeredCalls} in the table`)
  check(
    table.placesTaken === 0,
    `${table.placesTaken} places of limits on simultaneous requests are still taken`,
  )
  // A call that took too long counts as written: rather one place too many for two minutes than a client locked out.
  check(table.placesBelowZero <= errors, `${table.placesBelowZero} places were given back twice`)
  return faults
}

/** What has grown since the first part of the requests; empty = nothing. */
export function judgeGrowth({ during }: Pick<Soak, 'during'>): string[] {
  const [first, last] = [during[0]?.memory, during.at(-1)?.memory]
  if (!first || !last) return ['Nothing was measured.']
  return (['heapUsed', 'external', 'rss'] as const).flatMap(part =>
    last[part] <= first[part] * MOST_GROWTH
      ? []
      : `${part} grew from ${first[part].toFixed(1)} to ${last[part].toFixed(1)} MB`,
  )
}

/** What is wrong with a gateway that has been used for long, beside its growth; empty = nothing. */
export function judgeSoak({ sent, log, table, before, closed }: Soak): string[] {
  const faults = judgeCounts(sent, log, table)
  const check = (isRight: boolean, fault: string): void => void (isRight ? undefined : faults.push(fault))
  const left = leftOpen(before, closed)
  check(left.length === 0, `left open: ${left.join(', ')}`)
  check(
    closed.listeners <= before.listeners,
    `${closed.listeners - before.listeners} listeners of the process are left`,
  )
  check(closed.warnings.length === 0, `warnings: ${closed.warnings.join('; ')}`)
  check(closed.errors.length === 0, `errors of the handler: ${closed.errors.slice(0, 3).join('; ')}`)
  return faults
}
