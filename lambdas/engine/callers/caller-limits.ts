import {
  CLIENT_LIMITS,
  clientOf,
  type Client,
  type ClientLimits,
  type LimitName,
} from '../../core/callers/client-limits.ts'
import { leaseCounter, limitCounter, requestsUnderWay } from '../../core/callers/limit-counters.ts'
import {
  isNearlySpent,
  isOver,
  limitStates,
  takes,
  type LimitState,
  type RequestCost,
} from '../../core/callers/limit-states.ts'
import type { Consumed } from '../../core/callers/usage-counts.ts'
import { encodeName } from '../../core/callers/usage-place.ts'
import type { Log } from '../../core/log-event.ts'
import { ClientLimitError } from '../../core/routing/client-limit-error.ts'
import type { RequestCompleted } from '../../core/request-completed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Counters, FleetStore } from '../../store/fleet-store.ts'
import { createCallerLedger, negated, type CallerLedger } from './caller-ledger.ts'
import { keepLease } from './request-lease.ts'
import { allOf, within } from '../memory/background-work.ts'

/** A request that its caller's limits let through. */
export type Admission = {
  /** How the limits stand, with this request in them; empty where there are none. */
  states: readonly LimitState[]
  /** Puts what was used in the place of what was reserved. To be called once. */
  ended(line: Pick<RequestCompleted, 'dollars' | 'lostDollars'>, consumed: Consumed): void
}

/** The limits of callers, as one instance knows and counts them. */
export type CallerLimits = {
  /**
   * Counts a request that begins. Waits for the table only where a limit is nearly spent, for at most 300 ms.
   * Throws `ClientLimitError` where a limit is reached.
   */
  admit(caller: string, cost: RequestCost): Promise<Admission>
  /** Everything is written, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}

export type CallerLimitsOptions = {
  store: Pick<FleetStore, 'addUsage'>
  clock: Pick<Clock, 'now' | 'sleep' | 'after'>
  clients: ReadonlyMap<string, Client>
  log: Log
}

const CLAIM_MS = 300
/** What was missed once is not waited for again so soon: the table is slow, or away. */
const MISSED_MS = 10_000
/** A refusal needs no new look at the table for so long. */
const FRESH_MS = 1_000
const MOST_LEDGERS = 10_000

type Reservation = {
  /** The attribute of its lease. */
  lease: string
  taken: readonly { name: LimitName; counter: string; amount: number }[]
  /** All of it, to be added. */
  add: Counters
}

const NO_LIMITS: Admission = { states: [], ended: () => undefined }

const hasLimits = (limits: ClientLimits): boolean => Object.values(limits).some(limit => limit !== null)

export function createCallerLimits({ store, clock, clients, log }: CallerLimitsOptions): CallerLimits {
  const ledgers = new Map<string, CallerLedger>()
  const running = new Set<Promise<unknown>>()
  let waitsAgainAt = 0

  const stateError = (error: unknown): void =>
    log({ event: 'state-error', error: error instanceof Error ? error.message : String(error) })

  function ledgerOf(caller: string): CallerLedger {
    const found = ledgers.get(caller)
    if (found) return found
    for (const [name, { idle }] of ledgers) {
      if (ledgers.size < MOST_LEDGERS) break
      if (idle) ledgers.delete(name)
    }
    const at = { pk: `usage#client#${encodeName(caller)}`, sk: 'limits' } as const
    const ledger = createCallerLedger(at, { store, now: clock.now, stateError })
    ledgers.set(caller, ledger)
    return ledger
  }

  function started<Value>(work: Promise<Value>): Promise<Value> {
    const done = work.finally(() => void running.delete(done))
    running.add(done)
    return done
  }

  const write = (ledger: CallerLedger, add: Counters): Promise<Counters | null> => started(ledger.write(add))

  /** Once the fate of the claim is known: what waits to be written cancels it without the table. */
  async function giveBack(ledger: CallerLedger, add: Counters, writing: Promise<Counters | null>) {
    await writing
    await write(ledger, negated(add))
  }

  /** The counters with the claim in them, if the table tells in time. */
  async function claimed(writing: Promise<Counters | null>): Promise<Counters | null> {
    if (clock.now() < waitsAgainAt) return null
    const counters = await within(CLAIM_MS, writing, clock)
    if (counters === null) waitsAgainAt = clock.now() + MISSED_MS
    return counters
  }

  /** What a request does to the counters while it goes on: its lease, and what its limits take of it. */
  function reservation(states: readonly LimitState[], cost: RequestCost, now: number): Reservation {
    const taken = states.flatMap(state =>
      state.name === 'concurrency'
        ? []
        : [{ name: state.name, counter: limitCounter(state.name, now), amount: takes(state, cost) }],
    )
    const counts = Object.fromEntries(taken.map(({ counter, amount }) => [counter, amount]))
    const lease = leaseCounter(now)
    return { lease, taken, add: { ...counts, [lease]: 1 } }
  }

  function admissionOf(
    ledger: CallerLedger,
    { lease, taken }: Reservation,
    writing: Promise<Counters | null>,
    states: Admission['states'],
  ): Admission {
    const held = keepLease(lease, clock, renewal => void write(ledger, renewal))
    async function replace(used: Record<(typeof CLIENT_LIMITS)[LimitName]['counts'], number>): Promise<void> {
      const leases = held.end()
      await writing
      const changes = taken.map(
        ({ name, counter, amount }) => [counter, used[CLIENT_LIMITS[name].counts] - amount] as const,
      )
      await write(ledger, { ...Object.fromEntries(changes), ...leases })
    }
    return {
      states,
      ended({ dollars, lostDollars }, { promptTokens, completionTokens }) {
        const tokens = promptTokens + completionTokens
        void started(replace({ requests: 1, tokens, dollars: (dollars ?? 0) + (lostDollars ?? 0) }))
      },
    }
  }

  return {
    async admit(caller, cost) {
      const limits = clientOf(clients, caller)?.limits
      if (!limits || !hasLimits(limits)) return NO_LIMITS
      const ledger = ledgerOf(caller)
      const now = clock.now()
      const before = ledger.counters()
      const states = limitStates(limits, before, now)
      const over = states.filter(state => isOver(state, state.used, cost))
      const isCertain = over.some(state => takes(state, cost) > state.limit)
      const isFresh = now - ledger.knownAt <= FRESH_MS || now < waitsAgainAt
      if (over.length > 0 && (isCertain || isFresh))
        throw new ClientLimitError(caller, { over, states, cost }, now)

      const reserved = reservation(states, cost, now)
      const known = { knownAt: ledger.knownAt, underWay: requestsUnderWay(before, now), now }
      const isNear = over.length > 0 || states.some(state => isNearlySpent(state, cost, known))
      const writing = write(ledger, reserved.add)
      const after = isNear ? await claimed(writing) : null
      // Without the table's word, what is known here decides.
      const told = limitStates(limits, after ?? ledger.counters(), now)
      const beyond =
        after === null ? over : told.filter(state => isOver(state, state.used - takes(state, cost), cost))
      if (beyond.length === 0) return admissionOf(ledger, reserved, writing, told)
      void started(giveBack(ledger, reserved.add, writing))
      throw new ClientLimitError(caller, { over: beyond, states: told, cost }, now)
    },
    settled: () => (running.size === 0 ? null : allOf(running)),
  }
}
