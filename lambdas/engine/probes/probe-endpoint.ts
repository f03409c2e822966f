import { NEEDED_CAPABILITIES } from '../../core/capabilities.ts'
import { recordOf } from '../../core/record-of.ts'
import { blameOf } from '../../core/failures/blame.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { KINDS } from '../../core/failures/kinds.ts'
import { scopesOf, type BreakerScope } from '../../core/health/breaker-scope.ts'
import type { JsonObject } from '../../core/json.ts'
import { dailyRequests } from '../../core/failures/waits/daily-requests.ts'
import { probesOfQuota } from '../../core/health/health.ts'
import { rowOf } from '../../providers/catalog.ts'
import { breakerKey, capabilityKey, endpointKey } from '../../core/item-keys.ts'
import { adaptedEndpoint, currentRefusals, knownEndpoint, learnFrom } from '../../core/refusals/refusals.ts'
import { attemptLimits } from '../../core/routing/budget.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import type { BreakerMark, Snapshot } from '../../core/routing/snapshot.ts'
import { addEvidence } from '../memory/add-evidence.ts'
import { changeBreaker } from '../memory/change-breaker.ts'
import { changeHealth } from '../memory/change-health.ts'
import { itemAt } from '../memory/change-item.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import { knownSnapshot } from '../memory/snapshot-of.ts'
import { attempt, type AttemptResult, type AttemptTools } from '../request/attempt.ts'
import { wireFor } from '../request/wire-for.ts'
import { othersAnswer } from './others-answer.ts'

export type ProbeTools = MemoryTools & {
  attempts: AttemptTools
  secretOf(provider: string, key: string): string | undefined
}

/** What one probe found out. */
export type ProbeResult = {
  endpoint: string
  id: string
  provider: string
  outcome: 'ok' | Failure['kind']
  message: string | null
  tokens: number
  durationMs: number
}

/** A probe, and what it was answered with, for whoever sent it for a reason of its own. */
export type SentProbe = {
  result: ProbeResult
  key: string | null
  startedAt: number
  failure: Failure | null
}

export type ProbeCall = {
  /** It goes whatever was stated. */
  insistent: boolean
  /** An operator wants this one probed: its success ends a quarantine by hand too. */
  ordered?: boolean
  /** Only its success counts: a request waits for it, and the schedule goes on as it is. */
  onDemand?: boolean
  /** Ends it early. */
  signal?: AbortSignal
  limitMs?: number
}

/** A probe must be over well before its lease is. */
export const PROBE_LEASE_MS = 45_000
const PROBE_MS = 25_000

/** The smallest real completion that hosts accept, not the smallest thinkable: a model list proves nothing. */
const SMALLEST_REQUESTS: Record<NonNullable<Endpoint['kind']>, JsonObject> = {
  chat: { messages: [{ role: 'user', content: 'Say: ok' }], max_tokens: 16 },
  embeddings: { input: 'ok' },
}
const NEEDS = recordOf(NEEDED_CAPABILITIES, () => false)

/**
 * Whoever complains about the probe's own size or fields serves the model: a minimum of tokens, an answer that could
 * not be finished, a refused parameter, a filter.
 */
const isAlive = ({ scope, class: failureClass, structural, kind }: Failure): boolean =>
  !structural &&
  kind !== 'malformed_response' &&
  (scope === 'request' || failureClass === 'degradable' || kind === 'content_filter')

/** How often a day it may be probed, where what it said tells of a daily quota. */
function mostADay(
  { endpoints, view }: ProbeTools,
  endpoint: Endpoint,
  { message }: Failure,
  headers: Readonly<Record<string, string>>,
): { mostADay?: number } {
  const { requestsCountDays = false } = rowOf(endpoint).traits
  const allowed = dailyRequests({ headers, message, requestsCountDays })
  if (allowed === null) return {}
  const items = view.known()
  const ill = endpoints.filter(
    other =>
      other.provider === endpoint.provider && itemAt(items, 'endpoint', endpointKey(other.id)) !== null,
  )
  return { mostADay: probesOfQuota(allowed, ill.length) }
}

async function judge(
  tools: ProbeTools,
  endpoint: Endpoint,
  failure: Failure,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { clock, log } = tools
  const quota = mostADay(tools, endpoint, failure, headers)
  const { evidence, host } = blameOf(failure)
  if (evidence > 0) {
    const isProven = !host || (await othersAnswer(tools, endpoint))
    if (isProven) {
      return addEvidence(tools, endpoint, failure, {
        evidence: evidence === 2 ? 2 : 1,
        via: 'probe',
        ...quota,
      })
    }
    log({ event: 'network-suspect', evidence: 1 })
  }
  const at = clock.now()
  const isOurs = failure.scope === 'own_network'
  if (isOurs) log({ event: 'network-suspect', evidence: 1 })
  const isDelay = isOurs || evidence > 0 || KINDS[failure.kind].probeUndecided
  const event = isDelay
    ? ({ kind: 'probe_undecided', at, waitMs: failure.retryAfterMs, ...quota } as const)
    : ({ kind: 'probe_failed', at, ...quota } as const)
  await changeHealth(tools, endpoint, event)
}

/** Only what was stated keeps a probe away: it is for what is guessed. */
function statedOnly(snapshot: Snapshot, now: number): Snapshot {
  const breakers = new Map<BreakerScope, BreakerMark>()
  for (const [scope, mark] of snapshot.breakers) {
    const { stated } = mark.breaker
    const isStated = stated !== null && stated.until > now
    if (isStated)
      breakers.set(scope, { ...mark, breaker: { state: 'open', guess: null, stated, triedAt: null } })
  }
  return { ...snapshot, health: new Map(), breakers }
}

async function send(
  tools: ProbeTools,
  endpoint: Endpoint,
  secret: string | null,
  call: ProbeCall,
): Promise<AttemptResult> {
  const settings = tools.settings()
  const limits = attemptLimits({
    endpoint,
    settings,
    usualMs: settings.first_output_timeout_ms,
    elapsedMs: 0,
    remainingMs: call.limitMs ?? PROBE_MS,
    waiting: 1,
    degraded: false,
    mostTokens: Infinity,
  })
  const client = call.signal ?? new AbortController().signal
  const { kind = 'chat' } = endpoint
  const body = SMALLEST_REQUESTS[kind]
  const wire = wireFor(kind, body)
  return attempt({ endpoint, wire, secret, body, hold: true, limits, client }, tools.attempts)
}

/** Asks as requests are asked; where a field is refused, once more without it. */
async function ask(
  tools: ProbeTools,
  endpoint: Endpoint,
  secret: string | null,
  call: ProbeCall,
): Promise<AttemptResult> {
  const first = await send(tools, endpoint, secret, call)
  if (first.kind === 'committed') return first
  const refusal = learnFrom(first.failure, { body: SMALLEST_REQUESTS[endpoint.kind ?? 'chat'], needs: NEEDS })
  const adapted = refusal && adaptedEndpoint(endpoint, refusal)
  return adapted ? send(tools, adapted, secret, call) : first
}

/** What guesses and empty accounts bar there is lifted, whatever they say. */
async function liftBreakers(tools: ProbeTools, endpoint: Endpoint, key: string | null): Promise<void> {
  const items = tools.view.known()
  const lifts = scopesOf(endpoint, key).flatMap(scope => {
    const breaker = itemAt(items, 'breaker', breakerKey(scope))?.breaker
    if (!breaker || breaker.state === 'closed' || scope.startsWith('provider#')) return []
    const stated = breaker.stated?.kind === 'quota_exhausted'
    return [changeBreaker(tools, scope, { kind: 'lifted', stated })]
  })
  await Promise.all(lifts)
}

/**
 * Sends one real completion to an endpoint and lets its health follow from what comes back. Null where a stated wait
 * keeps it away: the endpoint is due again when that ends. An insistent probe goes all the same.
 */
export async function probeEndpoint(
  tools: ProbeTools,
  endpoint: Endpoint,
  call: ProbeCall,
): Promise<SentProbe | null> {
  const { clock, ownNetwork, stats, keys } = tools
  const startedAt = clock.now()
  const availability = lookAgain(endpoint, statedOnly(knownSnapshot(tools), startedAt), startedAt)
  if (availability.state === 'barred' && !call.insistent) {
    const waitMs = availability.barrier.until - startedAt
    if (!call.onDemand)
      await changeHealth(tools, endpoint, { kind: 'probe_undecided', at: startedAt, waitMs })
    return null
  }
  const usable = availability.state === 'available' ? availability.keys : []
  const key = usable[0] ?? keys().get(endpoint.provider)?.[0] ?? null
  const refusals = itemAt(tools.view.known(), 'capability', capabilityKey(endpoint.id))?.refusals ?? []
  const known = knownEndpoint(endpoint, currentRefusals(refusals, startedAt))
  const secret = key === null ? null : (tools.secretOf(endpoint.provider, key) ?? null)
  const answer = await ask(tools, known, secret, call)
  const tokens = answer.kind === 'committed' ? (answer.answer.reader.progress.usage?.totalTokens ?? 0) : 0
  if (answer.kind === 'committed') await answer.answer.close()
  const failure = answer.kind === 'failed' && !isAlive(answer.failure) ? answer.failure : null
  if (!failure || failure.status !== null) ownNetwork.answered(endpoint.provider)
  if (!failure) {
    await stats.resetEvidence(endpoint.id)
    await changeHealth(tools, endpoint, { kind: 'success', via: call.ordered ? 'operator' : 'probe' })
    await liftBreakers(tools, endpoint, key)
  } else if (!call.onDemand)
    await judge(tools, endpoint, failure, answer.kind === 'failed' ? answer.headers : {})
  const result = {
    endpoint: endpoint.name,
    id: endpoint.id,
    provider: endpoint.provider,
    outcome: failure?.kind ?? ('ok' as const),
    message: failure?.message ?? null,
    tokens,
    durationMs: clock.now() - startedAt,
  }
  return { result, key, startedAt, failure }
}

/** One line a probe. */
export const reportProbe = ({ log }: Pick<MemoryTools, 'log'>, result: ProbeResult): void =>
  log({ event: 'probe', ...result })
