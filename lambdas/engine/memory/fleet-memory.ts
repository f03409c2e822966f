import { breakerKey, cooldownKey, endpointKey } from '../../core/item-keys.ts'
import { blameOf } from '../../core/failures/blame.ts'
import type { Refusal } from '../../core/refusals.ts'
import { benchScope } from '../../core/health/cooldown-scope.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { quotaWaitMs } from '../../core/failures/quota-wait.ts'
import { providerRow } from '../../providers/catalog.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { addEvidence } from './add-evidence.ts'
import { createBreakerTrials } from './breaker-trials.ts'
import { changeBreaker } from './change-breaker.ts'
import { rememberRefusal } from './change-capability.ts'
import { bench, clearLadders, coolDown } from './change-cooldown.ts'
import { changeHealth } from './change-health.ts'
import { itemAt } from './change-item.ts'
import { describeFleet, type EndpointRow } from './describe-fleet.ts'
import type { MemoryTools } from './memory-tools.ts'
import { snapshotOf } from './snapshot-of.ts'

export type NotedAttempt = { endpoint: Endpoint; key: string | null; requestId: string; startedAt: number }

/** What the fleet remembers, as one instance reads and writes it. Nothing here rejects but `describe`. */
export type FleetMemory = {
  /** Starts a look at the table, beside whatever else an invocation begins with. */
  look(): void
  snapshot(): Promise<Snapshot>
  /** When the table says that the keys were changed; null = never, or not known yet. Epoch milliseconds. */
  keysChangedAt(): number | null
  /** Claims the one trial of a breaker that is not closed. */
  claimTrial(provider: string): Promise<boolean>
  /** Output came: that is all a trial has to show. */
  committed(attempt: NotedAttempt): void
  succeeded(attempt: NotedAttempt, firstTokenMs: number): void
  failed(attempt: NotedAttempt, failure: Failure): void
  /** What an endpoint has shown that it cannot do. */
  refused(endpoint: Endpoint, refusal: Refusal): void
  /** Every configured endpoint with what is remembered of it. Rejects with `StoreError`. */
  describe(): Promise<readonly EndpointRow[]>
  /** Everything noted is written, or given up. To be awaited before an invocation ends. */
  settled(): Promise<void>
}

const FLUSH_MS = 10_000
const BENCH_AFTER = 3
/** More pairs of endpoint and request than any instance has under way. */
const MOST_UNDER_WAY = 1_000

export function createFleetMemory(tools: MemoryTools): FleetMemory {
  const { store, view, clock, stats, ownNetwork, endpoints, keys, settings, log, stateError } = tools
  const trials = createBreakerTrials(tools)
  const running = new Set<Promise<unknown>>()
  /** The requests that have counted towards an endpoint's bench, latest last: one request counts once. */
  const benchedBy = new Set<string>()
  let flushedAt = clock.now()

  /** Starts writing; nobody waits for it before the end of the invocation. */
  function start(work: () => Promise<unknown>): void {
    const done: Promise<unknown> = work()
      .catch(stateError)
      .finally(() => void running.delete(done))
    running.add(done)
  }

  function isTripped(provider: string): boolean {
    const breaker = itemAt(view.known(), 'breaker', breakerKey(provider))?.breaker
    return breaker !== undefined && breaker.state !== 'closed'
  }

  async function noteBreaker({ endpoint, startedAt }: NotedAttempt, counts: boolean): Promise<void> {
    const { provider } = endpoint
    const wasTrial = await trials.report(provider, startedAt, counts ? 'failed' : 'undecided')
    // An open breaker needs no further failures.
    if (wasTrial || !counts || isTripped(provider)) return
    const tally = await stats.providerFailed(provider)
    await changeBreaker(tools, provider, { kind: 'failure', at: clock.now(), tally })
  }

  async function noteBench(attempt: NotedAttempt, failure: Failure): Promise<void> {
    const { endpoint, requestId } = attempt
    const benched = itemAt(view.known(), 'cooldown', cooldownKey(benchScope(endpoint.id)))?.cooldown
    if (isTripped(endpoint.provider) || (benched && benched.until > clock.now())) return
    const isFirst = !benchedBy.has(`${endpoint.id} ${requestId}`)
    benchedBy.add(`${endpoint.id} ${requestId}`)
    const [oldest] = benchedBy
    if (oldest !== undefined && benchedBy.size > MOST_UNDER_WAY) benchedBy.delete(oldest)
    const { bench: count } = await stats.failed(endpoint.id, { evidence: 0, bench: isFirst, asked: true })
    if (count >= BENCH_AFTER && !isTripped(endpoint.provider)) await bench(tools, attempt, failure)
  }

  function noteEvidence(
    { endpoint }: NotedAttempt,
    failure: Failure,
    evidence: 1 | 2,
    needsWitness: boolean,
  ): void {
    const count = (): void => start(() => addEvidence(tools, endpoint, failure, { evidence, via: 'request' }))
    if (needsWitness) ownNetwork.whenItWorks(endpoint.provider, count)
    else count()
  }

  /** The evidence first: with it, the next failure would make a healthy endpoint suspect at once. */
  async function clearSuspicion(endpoint: Endpoint): Promise<void> {
    await stats.resetEvidence(endpoint.id)
    await changeHealth(tools, endpoint, { kind: 'success', via: 'request' })
  }

  const hasMark = (provider: string): boolean =>
    (itemAt(view.known(), 'breaker', breakerKey(provider))?.failuresUntil ?? 0) > clock.now()

  return {
    look: () => view.look(),
    keysChangedAt: () => itemAt(view.known(), 'settings', 'settings')?.secretChangedAt ?? null,
    claimTrial: provider => trials.claim(provider),

    async snapshot() {
      return snapshotOf(await view.current(settings().state_wait_ms), keys(), settings())
    },

    committed({ endpoint, startedAt }) {
      ownNetwork.answered(endpoint.provider)
      start(() => trials.report(endpoint.provider, startedAt, 'succeeded'))
    },

    succeeded(attempt, firstTokenMs) {
      const { endpoint } = attempt
      stats.succeeded(endpoint.id, endpoint.provider, firstTokenMs)
      const known = itemAt(view.known(), 'endpoint', endpointKey(endpoint.id))
      if (known?.health.state === 'suspect') start(() => clearSuspicion(endpoint))
      start(() => clearLadders(tools, attempt))
    },

    failed(attempt, failure) {
      const { endpoint } = attempt
      if (failure.status !== null) ownNetwork.answered(endpoint.provider)
      const { evidence, needsWitness, breaker, bench: counts, cooldown } = blameOf(failure)
      start(() => noteBreaker(attempt, breaker))
      if (evidence > 0 && !settings().endpoint_health_disabled) {
        noteEvidence(attempt, failure, evidence === 2 ? 2 : 1, needsWitness)
      }
      if (counts) start(() => noteBench(attempt, failure))
      if (cooldown) {
        const stated =
          failure.retryAfterMs ?? quotaWaitMs(failure, providerRow(endpoint.provider).traits, clock.now())
        start(() => coolDown(tools, attempt, failure, cooldown, stated))
      }
    },

    refused(endpoint, refusal) {
      start(() => rememberRefusal(tools, endpoint, refusal))
    },

    async describe() {
      const items = await view.current(settings().state_wait_ms)
      const counted = endpoints.map(async ({ id }) => [id, await store.readCounts(endpointKey(id))] as const)
      const counts = new Map(await Promise.all(counted))
      return describeFleet(endpoints, { items, keys: keys(), settings: settings(), counts, now: clock.now() })
    },

    async settled() {
      const isDue = clock.now() - flushedAt >= FLUSH_MS
      if (isDue) flushedAt = clock.now()
      start(() => stats.flush(isDue ? null : hasMark))
      if (ownNetwork.waiting > 0) log({ event: 'network-suspect', evidence: ownNetwork.waiting })
      while (running.size > 0) await Promise.all(running)
    },
  }
}
