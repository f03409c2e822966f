import { capabilityKey } from '../../core/item-keys.ts'
import { attemptLimits } from '../../core/routing/budget.ts'
import { blameOf } from '../../core/failures/blame.ts'
import { currentRefusals, knownEndpoint } from '../../core/refusals.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { KINDS } from '../../core/failures/kinds.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import { addEvidence } from '../memory/add-evidence.ts'
import { attempt, type AttemptTools } from '../request/attempt.ts'
import { wireFor } from '../request/wire-for.ts'
import { changeHealth } from '../memory/change-health.ts'
import { itemAt } from '../memory/change-item.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import { snapshotOf } from '../memory/snapshot-of.ts'
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
  /** For the trial of a breaker: whether the failure is one of those that it counts. */
  countsForBreaker: boolean
  tokens: number
  durationMs: number
}

/** A probe must be over well before its lease is. */
export const PROBE_LEASE_MS = 45_000
const PROBE_MS = 25_000

/** The smallest real completion: a model list proves nothing. */
const SMALLEST_REQUESTS = {
  chat: { messages: [{ role: 'user', content: 'Say: ok' }], max_tokens: 1 },
  embeddings: { input: 'ok' },
}

async function judge(tools: ProbeTools, endpoint: Endpoint, failure: Failure): Promise<void> {
  const { clock, log } = tools
  const { evidence, needsWitness } = blameOf(failure)
  if (evidence > 0) {
    const isProven = !needsWitness || (await othersAnswer(tools, endpoint))
    if (isProven) return addEvidence(tools, endpoint, failure, { evidence, via: 'probe' })
    log({ event: 'network-suspect', evidence: 1 })
  }
  const at = clock.now()
  const isDelay = evidence > 0 || KINDS[failure.kind].probeUndecided
  const event = isDelay
    ? ({ kind: 'probe_undecided', at, waitMs: failure.retryAfterMs } as const)
    : ({ kind: 'probe_failed', at } as const)
  await changeHealth(tools, endpoint, event)
}

/** The keys that a probe may use; none where all of them, or the model, must be left alone for a while. */
function keysFor({ view, keys, settings, clock }: ProbeTools, endpoint: Endpoint) {
  const snapshot = snapshotOf(view.known(), keys(), settings())
  // A probe is for what is ill: only cooldowns keep it away.
  return lookAgain(endpoint, { ...snapshot, health: new Map(), breakers: new Map() }, clock.now())
}

/**
 * Sends one real completion to an endpoint and lets its health follow from what comes back. Null where a cooldown
 * keeps it away: the endpoint is due again when that ends. An insistent probe goes all the same.
 */
export async function probeEndpoint(
  tools: ProbeTools,
  endpoint: Endpoint,
  insistent: boolean,
): Promise<ProbeResult | null> {
  const { clock, settings, ownNetwork, stats, keys } = tools
  const startedAt = clock.now()
  const { usable, barred } = keysFor(tools, endpoint)
  if (barred && !insistent) {
    const waitMs = barred.until === null ? null : barred.until - startedAt
    await changeHealth(tools, endpoint, { kind: 'probe_undecided', at: startedAt, waitMs })
    return null
  }
  const key = usable[0] ?? keys().get(endpoint.provider)?.[0] ?? null
  const refusals = itemAt(tools.view.known(), 'capability', capabilityKey(endpoint.id))?.refusals ?? []
  const known = knownEndpoint(endpoint, currentRefusals(refusals, startedAt))
  const limits = attemptLimits({
    endpoint: known,
    settings: settings(),
    elapsedMs: 0,
    remainingMs: PROBE_MS,
    waiting: 1,
  })
  const { kind = 'chat' } = endpoint
  const body = SMALLEST_REQUESTS[kind]
  const result = await attempt(
    {
      endpoint: known,
      wire: wireFor(kind, body),
      secret: key === null ? null : (tools.secretOf(endpoint.provider, key) ?? null),
      body,
      hold: true,
      limits,
      client: new AbortController().signal,
    },
    tools.attempts,
  )
  const tokens = result.kind === 'committed' ? (result.answer.reader.progress.usage?.totalTokens ?? 0) : 0
  const failure = result.kind === 'failed' ? result.failure : null
  if (!failure || failure.status !== null) ownNetwork.answered(endpoint.provider)
  if (result.kind === 'committed') {
    await result.answer.close()
    await stats.resetEvidence(endpoint.id)
    await changeHealth(tools, endpoint, { kind: 'success', via: 'probe' })
  } else await judge(tools, endpoint, result.failure)
  return {
    endpoint: endpoint.name,
    id: endpoint.id,
    provider: endpoint.provider,
    outcome: failure?.kind ?? 'ok',
    message: failure?.message ?? null,
    countsForBreaker: failure !== null && blameOf(failure).breaker,
    tokens,
    durationMs: clock.now() - startedAt,
  }
}
