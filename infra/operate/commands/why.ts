import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import { FAILED_OUTCOMES, MOST_LISTED_REQUESTS, type RequestOutcome } from '../../request-contract.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { paintFor, printable } from '../../terminal/paint.ts'
import { runCommandLine } from '../command-line.ts'
import type { RequestQuery } from '../fleet/logged-requests.ts'
import { explainLine, openRequests, type RequestSource } from '../fleet/request-source.ts'
import { requestList } from '../views/request-list.ts'

const paint = paintFor(process.stdout)
const say = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)
const sayJson = (value: unknown): void => say([JSON.stringify(value, null, 2)])

/** Where nothing was found: what was looked for, and what else it may have been meant to be. */
async function nothingFound(source: RequestSource, { outcomes, model }: RequestQuery): Promise<string> {
  const kind = outcomes === null ? '' : outcomes.includes('rejected') ? 'refused ' : 'failed '
  if (model === undefined) return `No ${kind}request ${source.reach}.`
  const others = await source.newest({ outcomes: null, model: undefined, limit: MOST_LISTED_REQUESTS })
  const models = [...new Set(others.flatMap(({ alias }) => alias ?? []))]
  const hint = models.includes(model) ? '' : didYouMean(model, models)
  return `No ${kind}request of the model "${printable(model)}" ${source.reach}.${hint}`
}

function outcomesOf({ failed, rejected }: { failed?: boolean; rejected?: boolean }): RequestOutcome[] | null {
  if (!failed && !rejected) return null
  return [...(failed ? FAILED_OUTCOMES : []), ...(rejected ? ['rejected' as const] : [])]
}

function countOf(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (count >= 1 && count <= MOST_LISTED_REQUESTS) return count
  throw new CommandError(`-n: expected a whole number from 1 to ${MOST_LISTED_REQUESTS}, such as -n 10.`)
}

await runCommandLine(COMMANDS.why, async ({ values, positionals, misuse }) => {
  const { failed = false, rejected = false, model, n, json = false } = values
  const [word = 'last', ...others] = positionals
  const isNarrowed = failed || rejected || model !== undefined || n !== undefined
  if (others.length > 0 || (word !== 'last' && isNarrowed))
    throw misuse('Give one request ID alone, or say which of the last requests is meant.')
  const hours = Number(values.hours ?? 24)
  if (!(hours > 0)) throw new CommandError('--hours: expected a number of hours, such as 24.')
  const limit = n === undefined ? 1 : countOf(n)
  const source = await openRequests(values, hours)
  let requestId = word
  if (word === 'last') {
    const query = { outcomes: outcomesOf({ failed, rejected }), model, limit }
    const rows = await source.newest(query)
    if (n !== undefined && json) return (sayJson(rows), 0)
    const [newest] = rows
    if (!newest) return (say([await nothingFound(source, query)]), 0)
    if (n !== undefined) return (say(requestList(rows, Date.now(), paint)), 0)
    requestId = newest.requestId
  }
  const line = await source.one(requestId)
  if (json) sayJson(line)
  else say(explainLine(line, paint))
  return 0
})
