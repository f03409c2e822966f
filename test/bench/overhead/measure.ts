import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../percentile.ts'
import { told, type Child } from './child-process.ts'
import type { Load, LoadResult } from './children/load.ts'
import type { Contestant } from './contestants.ts'
import type { Row } from './rows.ts'

/** One contestant in one row at one concurrency: medians over the rounds. */
export type Figure = {
  cpuUs: number
  /** Median over the rounds of its CPU time by the bare proxy's of the same round. */
  timesBare: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
}

type Round = { cpuUs: number; perSecond: number; times: readonly number[] }

/** What is done after the last byte is work too. */
const SETTLE_MS = 40

async function perform(load: Child, task: Load): Promise<LoadResult> {
  load.process.send(task)
  return told<LoadResult>(load.process, 'result')
}

async function measureRound(
  load: Child,
  contestant: Contestant,
  row: Row,
  concurrency: number,
  requests: number,
): Promise<Round | null> {
  const headers = contestant.headersFor(row)
  if (headers === null) return null
  const before = await contestant.process.usage()
  const result = await perform(load, {
    url: contestant.url + row.path,
    headers,
    body: JSON.stringify(row.body),
    endsWith: row.endsWith,
    concurrency,
    requests,
  })
  await sleep(SETTLE_MS)
  const after = await contestant.process.usage()
  return {
    cpuUs: (after.cpuUs - before.cpuUs) / requests,
    perSecond: (requests * 1_000) / result.totalMs,
    times: row.timed === 'answer' ? result.answerMs : result.firstByteMs,
  }
}

const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Every contestant in turn, round by round, so that what the machine does meanwhile touches all of them alike. */
export async function measure(
  load: Child,
  contestants: readonly Contestant[],
  row: Row,
  { concurrency, requests, rounds }: { concurrency: number; requests: number; rounds: number },
): Promise<Record<string, Figure>> {
  const found = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % contestants.length
    const inTurn = [...contestants.slice(turn), ...contestants.slice(0, turn)]
    for (const contestant of inTurn) {
      const measured = await measureRound(load, contestant, row, concurrency, requests)
      if (measured) found.get(contestant.name)?.push(measured)
    }
  }
  const bare = found.get('bare proxy') ?? []
  const figures = [...found].filter(([, taken]) => taken.length > 0)
  return Object.fromEntries(
    figures.map(([name, taken]) => [
      name,
      {
        cpuUs: median(taken.map(({ cpuUs }) => cpuUs)),
        timesBare: median(taken.map(({ cpuUs }, round) => cpuUs / (bare[round]?.cpuUs ?? Number.NaN))),
        requestsPerSecond: median(taken.map(({ perSecond }) => perSecond)),
        p50Ms: percentile(
          taken.flatMap(({ times }) => times),
          0.5,
        ),
        p99Ms: percentile(
          taken.flatMap(({ times }) => times),
          0.99,
        ),
      },
    ]),
  )
}
