import type { Refusal } from '../../core/refusals/refusals.ts'
import type { Endpoint, EndpointId } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { AnswerTiming } from '../../core/health/answer-speed.ts'
import type { TrialClaim } from '../../core/health/breaker-scope.ts'
import { providerScope } from '../../core/health/breaker-scope.ts'
import { breakerKey } from '../../core/item-keys.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { createBreakerTrials, type ClaimedTrial } from './breaker-trials.ts'
import { rememberRefusal } from './change-capability.ts'
import { itemAt } from './change-item.ts'
import { createCuts } from './counters/cuts.ts'
import { describeFleet, type EndpointRow } from './describe-fleet.ts'
import type { MemoryTools } from './memory-tools.ts'
import { createFailureNotes, type NotedAttempt } from './note-failure.ts'
import { allOf } from './background-work.ts'
import { createSuccessNotes } from './note-success.ts'
import { createQuotas, type Quotas } from '../quotas/quotas.ts'
import { snapshotOf } from './snapshot-of.ts'

export type { NotedAttempt } from './note-failure.ts'

export type FleetDescription = {
  rows: readonly EndpointRow[]
  /** When the look at the table began that the rows are of, in epoch milliseconds; null = there was none yet. */
  readAt: number | null
}

/** What the fleet remembers, as one instance reads and writes it. Nothing here rejects. */
export type FleetMemory = {
  /** Starts a look at the table, beside whatever else an invocation begins with. */
  look(): void
  snapshot(): Promise<Snapshot>
  /** When the table says that the keys were changed; null = never, or not known yet. Epoch milliseconds. */
  keysChangedAt(): number | null
  /** Claims the one trial of all these breakers; null = somebody else has one of them, or it is not due. */
  claimTrial(endpoint: Endpoint, claims: readonly TrialClaim[]): Promise<ClaimedTrial | null>
  /** Output came: that is all a trial has to show. */
  committed(attempt: NotedAttempt): void
  succeeded(attempt: NotedAttempt, timing: AnswerTiming): void
  failed(attempt: NotedAttempt, failure: Failure): void
  /**
   * It has given no sign of life for as long as an endpoint with others behind it may take: counts as failed already,
   * unless it is known to answer after such a silence. Returns whether it counts.
   */
  silent(attempt: NotedAttempt, failure: Failure): boolean
  /** What an endpoint has shown that it cannot do. */
  refused(endpoint: Endpoint, refusal: Refusal): void
  /** The limits of providers, counted by the whole fleet. */
  quotas: Quotas
  /** Every configured endpoint with what is remembered of it; where the table is away, as it was known last. */
  describe(): Promise<FleetDescription>
  /** Everything noted is written, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}

const FLUSH_MS = 10_000
/** Where a provider's window holds failures, successes must not be missing from it for long. */
const MARKED_FLUSH_MS = 1_000

/** An endpoint that has answered after a long silence is slow, not dead, for so long. */
const SLOW_MS = 15 * 60_000

/** A trial's lease ends with the time that its first output may take. */
const leaseOf = ({ timeouts, stream }: Endpoint, settings: Settings): number =>
  stream === false
    ? (timeouts.totalMs ?? settings.answer_total_ms)
    : (timeouts.firstOutputMs ?? settings.first_output_timeout_ms)

export function createFleetMemory(tools: MemoryTools): FleetMemory {
  const { view, clock, stats, figures, ownNetwork, endpoints, keys, settings, log, stateError } = tools
  const trials = createBreakerTrials(tools)
  const running = new Set<Promise<unknown>>()
  /** When an endpoint has answered this instance after a long silence. */
  const slowAt = new Map<EndpointId, number>()
  let flushedAt = clock.now()
  let markedFlushAt = clock.now()
  /** An attempt of this instance has come to something. */
  let hasTried = false

  function start(work: () => Promise<unknown>): void {
    const done: Promise<unknown> = work()
      .catch(stateError)
      .finally(() => void running.delete(done))
    running.add(done)
  }

  const cuts = createCuts(clock)
  const notes = createFailureNotes(tools, start)
  function failed(attempt: NotedAttempt, failure: Failure): void {
    hasTried = true
    cuts.note(attempt.endpoint.id, failure)
    notes.failed(attempt, failure)
  }
  const successes = createSuccessNotes(tools, start)
  const quotas = createQuotas(tools, start)

  const hasMark = (provider: string): boolean =>
    (itemAt(view.known(), 'breaker', breakerKey(providerScope(provider)))?.failuresUntil ?? 0) > clock.now()

  function flush(): void {
    const now = clock.now()
    if (now - flushedAt >= FLUSH_MS) {
      flushedAt = now
      markedFlushAt = now
      start(() => stats.flush(null))
    } else if (now - markedFlushAt >= MARKED_FLUSH_MS) {
      markedFlushAt = now
      start(() => stats.flush(hasMark))
    }
  }

  return {
    quotas,
    look() {
      view.look()
      quotas.look()
      // The first plan of an instance would not wait for them, and they take as long as all else that it begins with.
      if (hasTried) start(figures.refresh)
    },
    keysChangedAt: () => itemAt(view.known(), 'settings', 'settings')?.secretChangedAt ?? null,
    claimTrial: (endpoint, claims) => trials.claim(claims, leaseOf(endpoint, settings())),

    async snapshot() {
      const { state_wait_ms, state_first_wait_ms } = settings()
      const beganAt = clock.now()
      const items = await view.current(state_wait_ms, state_first_wait_ms)
      // They are read beside the state, but for those that only the state names.
      const waitedMs = clock.now() - beganAt
      await quotas.current(state_wait_ms - waitedMs, state_first_wait_ms - waitedMs)
      return snapshotOf(items, {
        keys: keys(),
        quotas: quotas.marks(),
        settings: settings(),
        figures: figures.known,
        cuts,
        now: clock.now(),
      })
    },

    committed(attempt) {
      hasTried = true
      if (attempt.wasSilent) slowAt.set(attempt.endpoint.id, clock.now())
      start(figures.refresh)
      successes.committed(attempt)
    },
    succeeded: successes.succeeded,
    failed,
    silent(attempt, failure) {
      if (clock.now() - (slowAt.get(attempt.endpoint.id) ?? 0) <= SLOW_MS) return false
      failed(attempt, failure)
      return true
    },

    refused(endpoint, refusal) {
      start(() => rememberRefusal(tools, endpoint, refusal))
    },

    async describe() {
      await view.current(settings().state_wait_ms)
      // While the counters are read, a later look may end, of which these items know nothing.
      const [items, { readAt }] = [view.known(), view]
      // Whoever looks because the table is in trouble is not helped by an error.
      const [counted, limits] = await Promise.all([
        figures.all().catch(figures.last),
        quotas.describe().catch(() => ({ marks: quotas.marks(), rows: [] })),
      ])
      const rows = describeFleet(endpoints, {
        items,
        keys: keys(),
        settings: settings(),
        figures: figures.known,
        counted,
        untold: id => stats.own(id).lastFailure,
        quotas: limits,
        now: clock.now(),
      })
      return { rows, readAt }
    },

    settled() {
      flush()
      quotas.flush()
      const evidence = ownNetwork.suspicious
      if (evidence > 0) log({ event: 'network-suspect', evidence })
      return running.size === 0 ? null : allOf(running)
    },
  }
}
