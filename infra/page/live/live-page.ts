import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../lambdas/platform/clock.ts'
import type { EndpointsAnswer } from '../../endpoints-contract.ts'
import { describeError } from '../../terminal/command-error.ts'
import type { FleetFacts, ModelCard, PageNumbers, RequestRow } from '../page-contract.ts'
import type { NoteRequest, PageSource } from '../page-source.ts'
import { countOf } from '../traffic/count-request.ts'
import { createMinuteTally } from '../traffic/minute-tally.ts'
import { createRequestList, type RequestList } from '../traffic/request-list.ts'
import { cardOf } from './card-of.ts'
import { createCardMemory } from './changed-cards.ts'
import { createEventHub, eventText } from './event-hub.ts'
import { countProviders, readEndpoints, readTable, type TableFigures } from './fleet-reader.ts'
import { createPacer } from './pacer.ts'
import { createProblem } from './problem.ts'

/** The state of the fleet, computed once for all open pages, and not at all while none is open. */
export type LivePage = {
  note: NoteRequest
  requests: Pick<RequestList, 'find'>
  /** The last look at the endpoints; null before the first. */
  endpoints(): EndpointsAnswer | null
  open(response: ServerResponse): void
  /** Looks until the gateway knows of what has just been changed; resolves after some seconds even where it does not. */
  refresh(): Promise<void>
  close(): void
}

const FIRST_ROWS = 30
const MOST_ROWS_AT_ONCE = 50
const ROWS_EVERY_MS = 500
/** A gateway looks at its table about once a second. */
const REFRESH_EVERY_MS = 250
const LONGEST_REFRESH_MS = 3_000

export function createLivePage(source: PageSource, clock: Clock): LivePage {
  const tally = createMinuteTally(clock.now() - (source.lookBackMs ?? 0))
  const requests = createRequestList()
  const cards = createCardMemory()
  let endpoints: EndpointsAnswer | null = null
  let [looks, lastTurn] = [0, 0]
  let table: TableFigures = { spent: null, overrides: 0 }
  let followProblem: string | null = null
  let unsent: RequestRow[] = []
  let untold = 0
  let cancelRows: (() => void) | null = null
  let unfollow: (() => void) | null = null
  const sent = { numbers: '', fleet: '' }

  const hub = createEventHub(pages => {
    pacer.run(pages > 0)
    if (pages > 0) unfollow ??= source.follow?.(note, told => void (followProblem = told)) ?? null
    else {
      unfollow?.()
      unfollow = null
    }
  })
  const pacer = createPacer(clock, {
    models: { ...source.readEveryMs.models, work: look },
    table: { ...source.readEveryMs.table, work: lookAtTable },
  })

  const problems = { models: createProblem(() => pacer.news()), table: createProblem(() => pacer.news()) }

  const cardsNow = (): ModelCard[] => {
    const now = clock.now()
    const traffic = tally.traffic(now)
    const { models = [], data = [] } = endpoints ?? {}
    const rows = new Map(data.map(row => [row.endpoint, row]))
    return models.map(model =>
      cardOf(model, traffic.get(model.model) ?? null, rows.get(model.answered_by ?? ''), now),
    )
  }

  function numbersNow(): PageNumbers {
    const { models = [] } = endpoints ?? {}
    return {
      models: { down: models.filter(({ answers }) => !answers).length, all: models.length },
      providers: countProviders(models),
      answered: tally.answered(clock.now()),
      spent: table.spent,
    }
  }

  const fleetNow = (): FleetFacts => ({
    mode: endpoints?.mode ?? 'normal',
    overrides: table.overrides,
    problem: problems.models.told ?? problems.table.told ?? followProblem,
  })

  function isNews(name: keyof typeof sent, data: object): boolean {
    const text = JSON.stringify(data)
    const isNew = sent[name] !== text
    sent[name] = text
    return isNew
  }

  function push(): void {
    const update = cards.update(cardsNow())
    if (update) hub.send('models', update)
    const fleet = fleetNow()
    if (isNews('fleet', fleet)) hub.send('fleet', fleet)
    // Before the first look they would all be none.
    if (endpoints === null) return
    const numbers = numbersNow()
    // An hour that moves on is no news by itself.
    const { since: _, ...answered } = numbers.answered
    if (isNews('numbers', { ...numbers, answered })) hub.send('numbers', numbers)
  }

  async function look(): Promise<void> {
    looks += 1
    const turn = looks
    try {
      const found = await readEndpoints(source)
      // Of two looks at a time, what the later one found is newer.
      if (turn < lastTurn) return
      lastTurn = turn
      endpoints = found
      problems.models.over()
    } catch (error) {
      problems.models.met(describeError(error))
    }
    push()
  }

  async function lookUntilKnown(changedAt: number, { signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await look()
      // A gateway of an older version does not tell when it looked.
      const { table_read_at: readAt } = endpoints ?? {}
      if (readAt === undefined || (readAt !== null && readAt >= changedAt)) return
      await clock.sleep(REFRESH_EVERY_MS, signal)
    }
  }

  async function refresh(): Promise<void> {
    const ended = new AbortController()
    pacer.news()
    const known = lookUntilKnown(clock.now(), ended).finally(() => ended.abort())
    await Promise.race([known, clock.sleep(LONGEST_REFRESH_MS, ended.signal)])
    ended.abort()
  }

  async function lookAtTable(): Promise<void> {
    try {
      table = await readTable(source, clock.now())
      problems.table.over()
    } catch (error) {
      problems.table.met(`The state table cannot be read: ${describeError(error)}.`)
    }
    push()
  }

  function sendRows(): void {
    cancelRows = null
    hub.send('requests', { rows: unsent.toReversed(), untold })
    unsent = []
    untold = 0
  }

  function note(line: Parameters<NoteRequest>[0], at: number): void {
    const row = requests.add(line, at)
    const counted = countOf(row)
    if (counted) tally.add(counted)
    if (hub.pages === 0) return
    unsent.push(row)
    if (unsent.length > MOST_ROWS_AT_ONCE) {
      unsent.shift()
      untold += 1
    }
    cancelRows ??= clock.after(ROWS_EVERY_MS, sendRows)
    pacer.news()
  }

  return {
    note,
    requests,
    endpoints: () => endpoints,
    open(response) {
      const first = [
        eventText('hello', { facts: source.facts(), now: clock.now(), callers: requests.callers() }),
        eventText('requests', { rows: requests.find({}, FIRST_ROWS), untold: 0 }),
        ...(endpoints
          ? [
              eventText('models', cards.whole()),
              eventText('numbers', numbersNow()),
              eventText('fleet', fleetNow()),
            ]
          : []),
      ]
      hub.open(response, first.join(''))
    },
    refresh,
    close() {
      pacer.run(false)
      cancelRows?.()
      unfollow?.()
      hub.close()
    },
  }
}
