import { blameOf, type Blame } from '../../core/failures/blame.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { KINDS } from '../../core/failures/kinds.ts'
import { untilResetMs } from '../../core/failures/until-reset.ts'
import type { BreakerEvent } from '../../core/health/breaker.ts'
import {
  benchScope,
  keyLimit,
  keyModelLimit,
  limitScope,
  providerScope,
  type BreakerScope,
} from '../../core/health/breaker-scope.ts'
import { mayBeOfOwnFields, type OwnFields } from '../../core/health/client-fields.ts'
import { ENDPOINT_LADDER, providerLadder } from '../../core/health/ladder.ts'
import { SAME_KEY_WITHIN_MS, isConcurrency, limitOf, type Limit } from '../../core/health/limit.ts'
import { judgeTally, type ProviderTally, type TallyVerdict } from '../../core/health/provider-tally.ts'
import { modelTag } from '../../core/health/short-hash.ts'
import { writeLastFailure } from '../../core/health/last-failure.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { rowOf } from '../../providers/catalog.ts'
import type { QuotaClaim } from '../quotas/quotas.ts'
import { addEvidence } from './add-evidence.ts'
import type { ClaimedTrial } from './breaker-trials.ts'
import { breakerOf, changeBreaker, isProviderClosed } from './change-breaker.ts'
import type { MemoryTools } from './memory-tools.ts'

export type NotedAttempt = {
  endpoint: Endpoint
  key: string | null
  requestId: string
  startedAt: number
  /** The breakers that it went through as their one trial. */
  trial?: ClaimedTrial | null
  /** It was noted as failed already, while it waited for a sign of life. */
  wasSilent?: boolean
  /** Fields beside the chat API that the client sent. */
  ownFields?: OwnFields
  /** What it has taken of known quotas. */
  claim?: QuotaClaim | null
  /** As estimated. */
  promptTokens?: number
  /** It shows nothing before its answer is whole: the time to its first output compares with no other's. */
  isWhole?: boolean
  /** It was asked for a whole answer by our own choice. */
  plainly?: boolean
}

/** Starts work that nobody waits for before the end of the invocation. */
export type Start = (work: () => Promise<unknown>) => void

const BENCH_AFTER = 3
/** A prompt like this takes its time: that it was not enough is nobody's failure. */
const LONG_PROMPT_TOKENS = 32_000
/** More pairs of endpoint and request than any instance has under way. */
const MOST_UNDER_WAY = 1_000

/** Lets everything follow from a failed attempt: evidence, breakers, limits. At once for this instance, then in the table. */
export function createFailureNotes(tools: MemoryTools, start: Start) {
  const { view, clock, stats, ownNetwork, endpoints, settings, log } = tools
  /** The requests that have counted towards an endpoint's bench, latest last: one request counts once. */
  const counted = new Set<string>()

  const isClosed = (scope: BreakerScope): boolean =>
    breakerOf(view.known(), scope, clock.now()).state === 'closed'

  function limitAt(
    { endpoint, key }: NotedAttempt,
    failure: Failure,
  ): { scope: BreakerScope; limit: Limit } | null {
    const limit = limitOf(failure, untilResetMs(failure, rowOf(endpoint).traits, clock.now()))
    return limit && { scope: limitScope(limit.target, endpoint, key), limit }
  }

  /** Whether a trial through this breaker has failed: in a way that opens it. */
  function failsTrial(scope: BreakerScope, attempt: NotedAttempt, failure: Failure, blame: Blame): boolean {
    if (scope.startsWith('provider#')) return blame.breaker
    // While a provider is in trouble its benches do not climb.
    if (scope.startsWith('endpoint#'))
      return blame.breaker && isProviderClosed(tools, attempt.endpoint.provider)
    const breaker = breakerOf(view.known(), scope, clock.now())
    const isSameKind = breaker.state !== 'closed' && breaker.guess?.kind === failure.kind
    return limitAt(attempt, failure) !== null && (isSameKind || limitAt(attempt, failure)?.scope === scope)
  }

  function reportTrial(attempt: NotedAttempt, failure: Failure, verdict: Blame | null): void {
    const { trial } = attempt
    if (!trial) return
    for (const scope of trial.scopes) {
      const failed = verdict !== null && failsTrial(scope, attempt, failure, verdict)
      const at = clock.now()
      const ladder = scope.startsWith('provider#')
        ? providerLadder(settings())
        : scope.startsWith('endpoint#')
          ? ENDPOINT_LADDER
          : (limitAt(attempt, failure)?.limit.ladder ?? { kind: 'steps' as const, waitsMs: [] })
      const statedMs = scope.startsWith('limit#') ? (limitAt(attempt, failure)?.limit.statedMs ?? null) : null
      const event: BreakerEvent = failed
        ? { kind: 'trial_failed', at, claimedAt: trial.at, cause: failure.kind, ladder, statedMs }
        : { kind: 'trial_undecided', at, claimedAt: trial.at }
      start(() => changeBreaker(tools, scope, event))
    }
  }

  const modelsOf = (provider: string): readonly Endpoint[] =>
    endpoints.filter(endpoint => endpoint.provider === provider)

  /** What opens by a provider's window: its breaker, or the bench of the one model that fails there. */
  async function openBy(verdict: TallyVerdict, attempt: NotedAttempt, failure: Failure): Promise<void> {
    const { provider } = attempt.endpoint
    const at = clock.now()
    const opening = { kind: 'failed', at, cause: failure.kind, statedMs: null } as const
    const { breaker_window_ms: markMs, breaker_open_ms: firstWaitMs } = settings()
    if (verdict.kind === 'model') {
      const failing = modelsOf(provider).find(({ id }) => modelTag(id) === verdict.tag)
      const event = { ...opening, ladder: ENDPOINT_LADDER, firstWaitMs }
      if (failing && isClosed(benchScope(failing.id))) {
        await changeBreaker(tools, benchScope(failing.id), event)
      }
    }
    const event = verdict.kind === 'provider' ? { ...opening, ladder: providerLadder(settings()) } : null
    const hasSiblings = modelsOf(provider).length > 1
    const causes = verdict.kind === 'provider' && hasSiblings ? verdict.causes : []
    await changeBreaker(tools, providerScope(provider), event, { markMs, causes })
  }

  function noteProvider(attempt: NotedAttempt, failure: Failure, { host }: Blame): void {
    const { provider, id } = attempt.endpoint
    // An open breaker needs no further failures.
    if (!isClosed(providerScope(provider))) return
    const ofTheHost = host || (failure.scope === 'endpoint' && failure.kind !== 'timeout')
    const models = new Set(modelsOf(provider).map(({ model }) => model)).size
    start(async () => {
      const { local, written, wasWell } = stats.providerFailed(provider, id, ofTheHost)
      const judge = (tally: ProviderTally): TallyVerdict =>
        wasWell ? { kind: 'fine' } : judgeTally(tally, models, settings())
      const seen = judge(local)
      const first = seen.kind === 'fine' ? null : openBy(seen, attempt, failure)
      await Promise.all([first, written.then(tally => openBy(judge(tally), attempt, failure))])
    })
  }

  function isFirstOf({ endpoint, requestId }: NotedAttempt): boolean {
    const pair = `${endpoint.id} ${requestId}`
    const isFirst = !counted.has(pair)
    counted.add(pair)
    const [oldest] = counted
    if (oldest !== undefined && counted.size > MOST_UNDER_WAY) counted.delete(oldest)
    return isFirst
  }

  function noteBench(attempt: NotedAttempt, failure: Failure): void {
    const { endpoint } = attempt
    const scope = benchScope(endpoint.id)
    if (!isProviderClosed(tools, endpoint.provider) || !isClosed(scope)) return
    const bench = isFirstOf(attempt)
    start(async () => {
      const at = clock.now()
      const lastFailure = writeLastFailure(failure, at)
      const { local, written } = stats.failed(endpoint.id, { evidence: 0, bench, lastFailure })
      const open = (): Promise<void> =>
        changeBreaker(tools, scope, {
          kind: 'failed',
          at,
          cause: failure.kind,
          ladder: ENDPOINT_LADDER,
          statedMs: null,
        })
      const isDue = (count: number): boolean =>
        count >= BENCH_AFTER && isProviderClosed(tools, endpoint.provider)
      const first = isDue(local.bench) ? open() : null
      await Promise.all([first, written.then(({ bench: count }) => (isDue(count) ? open() : undefined))])
    })
  }

  function noteLimit(attempt: NotedAttempt, failure: Failure): void {
    const found = limitAt(attempt, failure)
    // A trial's own failure was reported as such.
    if (!found || attempt.trial?.scopes.includes(found.scope)) return
    const { scope, limit } = found
    const slots = isConcurrency(failure)
    const event: BreakerEvent = { kind: 'failed', at: clock.now(), cause: failure.kind, ...limit, slots }
    start(() => changeBreaker(tools, scope, event))
    if (limit.target === 'key-model' && isSecondModel(attempt, failure)) {
      const { endpoint, key } = attempt
      if (key !== null) start(() => changeBreaker(tools, keyLimit(endpoint.provider, key), event))
    }
  }

  /** Another model of the same key was limited in the same way just now: it is the key, then. */
  function isSecondModel({ endpoint, key }: NotedAttempt, failure: Failure): boolean {
    if (key === null || KINDS[failure.kind].ownLimit !== 'quota') return false
    const now = clock.now()
    return modelsOf(endpoint.provider).some(other => {
      if (other.model === endpoint.model) return false
      const breaker = breakerOf(view.known(), keyModelLimit(other.id, key), now)
      if (breaker.state === 'closed') return false
      const last =
        breaker.stated ?? (breaker.guess && { kind: breaker.guess.kind, at: breaker.guess.openedAt })
      return last?.kind === failure.kind && now - last.at <= SAME_KEY_WITHIN_MS
    })
  }

  function failed(attempt: NotedAttempt, failure: Failure): void {
    const { endpoint, ownFields = null, promptTokens = 0, wasSilent = false } = attempt
    if (wasSilent && failure.kind === 'timeout') return
    if (failure.status !== null) ownNetwork.answered(endpoint.provider)
    if (failure.scope === 'own_network') {
      log({ event: 'network-suspect', evidence: 1 })
      return reportTrial(attempt, failure, null)
    }
    if (mayBeOfOwnFields(failure, ownFields)) return reportTrial(attempt, failure, null)
    const isTooLong = failure.kind === 'timeout' && promptTokens > LONG_PROMPT_TOKENS
    const usual = blameOf(failure)
    const blame = isTooLong ? { ...usual, breaker: false, bench: false } : usual
    // Whoever sets the limit that it met: that it could not answer is what the order of its tier depends on.
    if (failure.scope !== 'request' && !isTooLong) {
      stats.unanswered(endpoint.id, writeLastFailure(failure, clock.now()))
    }
    reportTrial(attempt, failure, blame)
    const isTrialOf = (scope: BreakerScope): boolean => attempt.trial?.scopes.includes(scope) ?? false
    // Where there is one model, what bars it bars its provider: that it was tried in vain tells nothing new.
    const isTriedAlone = (attempt.trial?.scopes.length ?? 0) > 0 && modelsOf(endpoint.provider).length < 2
    const isItsTrial = isTrialOf(providerScope(endpoint.provider))
    if (blame.breaker && !isTriedAlone && !isItsTrial) noteProvider(attempt, failure, blame)
    if (blame.bench && !isTrialOf(benchScope(endpoint.id))) noteBench(attempt, failure)
    noteLimit(attempt, failure)
    if (blame.evidence === 0 || settings().endpoint_health_disabled) return
    const evidence = blame.evidence === 2 ? 2 : 1
    const count = (): void => start(() => addEvidence(tools, endpoint, failure, { evidence, via: 'request' }))
    if (blame.host) ownNetwork.whenItWorks(endpoint.provider, count)
    else count()
  }

  return {
    failed,
    /** Reports the trial that an attempt was, and nothing else: for probes, which move no window. */
    reportTrial: (attempt: NotedAttempt, failure: Failure): void =>
      reportTrial(attempt, failure, blameOf(failure)),
  }
}
