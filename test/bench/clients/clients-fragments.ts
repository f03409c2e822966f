import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'

/** How often a client asked a gateway that had nothing to answer with, until it gave up. */
export type GivingUp = {
  client: string
  version: string
  setting: string | null
  outage: string
  requests: number
  /** Calls that the gateway made for them. */
  calls: number
  seconds: number
  /** False = it was ended while it still asked. */
  gaveUp: boolean
}

/** Of clients without a setting that was measured. */
const WITHOUT: Readonly<Record<string, string>> = {
  opencode: 'none found; it shows the message while it waits',
  'qwen-code': 'none found; its own setting `maxRetries: 0` changes nothing',
}

const whole = (seconds: number): string => seconds.toFixed(0)

const told = ({ requests, seconds, gaveUp }: GivingUp): string =>
  gaveUp ? `${requests} in ${whole(seconds)} s` : `${requests} in the first ${whole(seconds)} s`

const span = (values: readonly string[]): string => {
  const [least = '', most = ''] = [values[0], values.at(-1)]
  return least === most ? least : `${least} to ${most}`
}

const ascending = (values: readonly number[]): string[] =>
  values.toSorted((one, other) => one - other).map(whole)

function advised(name: string, runs: readonly GivingUp[]): string {
  const [first] = runs
  if (!first) return WITHOUT[name] ?? 'none found'
  const requests = span(ascending(runs.map(run => run.requests)))
  return `${first.setting} (${requests} in ${span(ascending(runs.map(run => run.seconds)))} s)`
}

/** What the pages say of clients that ask again. */
export function clientsFragments(results: readonly GivingUp[], { date }: Circumstances): readonly Fragment[] {
  const outages = [...new Set(results.map(({ outage }) => outage))]
  const names = [...new Set(results.map(({ client }) => client))]
  const atDefaults = results.filter(({ setting }) => setting === null)
  const rows = names.map(name => {
    const own = results.filter(({ client }) => client === name)
    return [
      `${name} ${own[0]?.version}`,
      ...outages.map(outage =>
        own
          .filter(run => run.setting === null && run.outage === outage)
          .map(told)
          .join(''),
      ),
      advised(
        name,
        own.filter(({ setting }) => setting !== null),
      ),
    ]
  })
  const head = ['client', ...outages, 'to keep its retries from adding to ours']
  const lines = [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  const most = Math.max(...atDefaults.map(({ requests }) => requests))
  const once = results.filter(({ setting }) => setting !== null)
  return [
    { page: 'infra/CLIENTS.md', id: 'retries', text: lines.join('\n') },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `${names.length} clients send 1 to ${most} requests at their defaults, and ${span(ascending(once.map(({ requests }) => requests)))} with the settings that are advised (${longDate(date)})`,
    },
  ]
}
