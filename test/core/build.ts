import type { ChatRequest, ToolRound } from '../../lambdas/core/chat-request.ts'
import type { Candidate, Chain, Endpoint } from '../../lambdas/core/endpoint.ts'
import type { FailureKind } from '../../lambdas/core/failures/kinds.ts'
import {
  measuredAnswer,
  type AnswerTiming,
  type MeasuredAnswer,
} from '../../lambdas/core/health/answer-speed.ts'
import type { Guess } from '../../lambdas/core/health/breaker.ts'
import type { Failure } from '../../lambdas/core/failures/failure.ts'
import type { FailedAttempt, PlanProgress } from '../../lambdas/core/routing/next-step.ts'
import type { Skipped } from '../../lambdas/core/routing/plan.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'
import type { BreakerMark, Snapshot } from '../../lambdas/core/routing/snapshot.ts'
import type { AttemptRecord } from '../../lambdas/core/routing/trail.ts'

/** Nothing has run that could run twice. */
export const FIRST_ROUND: ToolRound = { later: false, finished: [], session: null, tracked: false }

/** `provider/model` as an endpoint about which nothing is declared. */
export function endpointNamed(name: string, overrides: Partial<Endpoint> = {}): Endpoint {
  const [provider = '', model = ''] = name.split('/')
  return {
    id: name,
    name,
    provider,
    baseUrl: 'http://127.0.0.1:1/v1',
    model,
    needsKey: false,
    isLocal: false,
    contextWindow: null,
    tools: null,
    vision: null,
    json: null,
    stream: null,
    droppedParams: [],
    price: null,
    timeouts: {},
    ...overrides,
  }
}

export function chainOf(tiers: readonly (readonly (string | Endpoint)[])[]): Chain {
  return {
    alias: 'alias',
    buffer: false,
    tiers: tiers.map(tier => tier.map(entry => (typeof entry === 'string' ? endpointNamed(entry) : entry))),
  }
}

export function requestFor(overrides: Partial<ChatRequest> = {}): ChatRequest {
  return {
    id: 'request',
    caller: { name: 'somebody' },
    alias: 'alias',
    kind: 'chat',
    body: {},
    native: {},
    dropped: [],
    nativeCall: null,
    userAgent: '',
    receivedAt: 0,
    stream: true,
    includeUsage: false,
    buffer: false,
    fallback: true,
    dryRun: false,
    needs: { tools: false, vision: false, json: false },
    promptTokens: 100,
    retryTokenBudget: null,
    toolRound: FIRST_ROUND,
    conversation: null,
    ...overrides,
  }
}

/** Candidates as the plan orders them: one row a tier; `~` marks a suspect. */
export function candidatesOf(
  tiers: readonly (readonly string[])[],
  keys: readonly string[] = [],
): Candidate[] {
  return tiers.flatMap((names, tier) =>
    names.map(name => ({
      endpoint: endpointNamed(name.replace('~', '')),
      tier,
      suspect: name.startsWith('~'),
      trial: [],
      lastResort: false,
      keys,
    })),
  )
}

export function failureOf(overrides: Partial<Failure> = {}): Failure {
  return {
    class: 'retryable',
    kind: 'server_error',
    scope: 'provider',
    structural: false,
    retryAfterMs: null,
    tryNext: true,
    status: 500,
    code: null,
    message: 'The server had an error.',
    ...overrides,
  }
}

export const rateLimit = (overrides: Partial<Failure> = {}): Failure =>
  failureOf({ kind: 'rate_limit', scope: 'key', status: 429, ...overrides })

export const timeout = (): Failure => failureOf({ kind: 'timeout', scope: 'endpoint', status: null })

export const contextTooLong = (): Failure =>
  failureOf({ class: 'degradable', kind: 'context_length', scope: 'request', status: 400 })

export function failedAttempt(candidate: number, overrides: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    candidate,
    key: null,
    via: 'start',
    waitedMs: 0,
    failure: failureOf(),
    outputStarted: false,
    tokens: 0,
    ...overrides,
  }
}

export function progressOf(
  candidates: readonly Candidate[],
  failed: readonly FailedAttempt[],
  overrides: Partial<PlanProgress> = {},
): PlanProgress {
  return {
    candidates,
    failed,
    settings: DEFAULT_SETTINGS,
    elapsedMs: 0,
    random: 0,
    fallback: true,
    dropped: new Set(),
    again: new Set(),
    retryLimit: { promptTokens: 100, budget: 8_000 },
    sentOnce: false,
    degraded: false,
    ...overrides,
  }
}

export function attemptRecord(name: string, failure: Failure | null): AttemptRecord {
  return {
    endpoint: endpointNamed(name),
    tier: 0,
    key: null,
    outcome: failure?.kind ?? 'ok',
    status: failure ? failure.status : 200,
    headers: {},
    startedAfterMs: 0,
    durationMs: 10,
    failure,
    lostDollars: null,
  }
}

/** An endpoint that was left out, by default without a stated return. */
export function skippedAs(
  reason: Skipped['reason'],
  { name = 'a/one', ...overrides }: Partial<Omit<Skipped, 'endpoint'>> & { name?: string } = {},
): Skipped {
  return { endpoint: endpointNamed(name), tier: 0, reason, until: null, cause: null, ...overrides }
}

/** A breaker that is open until then by our own guess, since just before. */
export function guessed(until: number, overrides: Partial<Guess> = {}): BreakerMark {
  const openedAt = overrides.openedAt ?? until - 60_000
  const guess: Guess = {
    kind: 'server_error',
    step: 0,
    since: openedAt,
    openedAt,
    until,
    slots: false,
    ...overrides,
  }
  return { breaker: { state: 'open', guess, stated: null, triedAt: null }, causes: [] }
}

/** What an upstream asked to be left alone for. */
export const statedWait = (until: number, kind: FailureKind = 'rate_limit'): BreakerMark => ({
  breaker: { state: 'open', guess: null, stated: { kind, until, at: until - 60_000 }, triedAt: null },
  causes: [],
})

/** An answer that came at once, and its first output after so long. */
export const timed = (firstOutputMs = 100, outputTokens = 0, outputMs = 0): AnswerTiming => ({
  firstOutputMs,
  outputTokens,
  outputMs,
})

/** The same of a short prompt, as it is counted. */
export const measured = (firstOutputMs = 100): MeasuredAnswer =>
  measuredAnswer(100, false, timed(firstOutputMs))

/** A fleet that remembers only what is given. */
export function snapshotOf(known: Partial<Snapshot> = {}): Snapshot {
  return { ...emptySnapshot(), ...known }
}

/** A fleet that remembers nothing: every endpoint healthy. */
export const emptySnapshot = (keys: Snapshot['keys'] = new Map()): Snapshot => ({
  keys,
  health: new Map(),
  breakers: new Map(),
  failing: new Set(),
  cuts: new Map(),
  refusals: new Map(),
  quotas: new Map(),
  settings: DEFAULT_SETTINGS,
  figures: new Map(),
  degraded: false,
})
