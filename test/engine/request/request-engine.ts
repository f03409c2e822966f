import { NO_QUOTAS } from '../../support/no-quotas.ts'
import type { ChatRequest } from '../../../lambdas/core/chat-request.ts'
import type { Chain, Endpoint } from '../../../lambdas/core/endpoint.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import type { Refusal } from '../../../lambdas/core/refusals/refusals.ts'
import type { Snapshot } from '../../../lambdas/core/routing/snapshot.ts'
import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import type { FleetMemory, NotedAttempt } from '../../../lambdas/engine/memory/fleet-memory.ts'
import { createAgents } from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import { createPlainAsks } from '../../../lambdas/engine/memory/counters/plain-asks.ts'
import { createHedgeBudget } from '../../../lambdas/engine/request/hedging/hedge-budget.ts'
import { beginRun, type Run } from '../../../lambdas/engine/request/run.ts'
import type { ServeTools } from '../../../lambdas/engine/request/serve-chat.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { createVirtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { chainOf, emptySnapshot, endpointNamed, requestFor } from '../../core/build.ts'

/** What the engine told the fleet's memory, in order. */
export type Note =
  | { kind: 'committed'; endpoint: string; key: string | null }
  | { kind: 'succeeded'; endpoint: string; firstTokenMs: number }
  | { kind: 'failed'; endpoint: string; failure: Failure['kind'] }
  | { kind: 'refused'; endpoint: string; refusal: Refusal }

export type RequestEngine = AsyncDisposable & {
  clock: VirtualClock
  tools: ServeTools
  /** What the fleet knows; a test changes it while a request is under way. */
  fleet: { snapshot: Snapshot; trials: boolean }
  notes: Note[]
  lines: LogEvent[]
  /** Providers that refused a key. */
  keysRefused(): number
  upstreams: ReadonlyMap<string, ScriptedUpstream>
  /** `provider/model` of one of the upstreams. */
  endpoint(name: string, overrides?: Partial<Endpoint>): Endpoint
  run(tiers: readonly (readonly (string | Endpoint)[])[], request?: Partial<ChatRequest>): Promise<Run>
  /** The client leaves. */
  leave(): void
}

const AGES_MS = 900_000
export const QUESTION = { messages: [{ role: 'user', content: 'Hello?' }] }

/** The engine of a request over real upstreams, one a provider, in virtual time; the fleet's memory only notes. */
export async function startRequestEngine(
  scripts: Readonly<Record<string, UpstreamScript>>,
  keys: Snapshot['keys'] = new Map(),
): Promise<RequestEngine> {
  const clock = createVirtualClock()
  const entries = Object.entries(scripts).map(
    async ([name, script]) => [name, await startUpstream(script, { clock })] as const,
  )
  const upstreams = new Map(await Promise.all(entries))
  const agents = createAgents(clock)
  const client = new AbortController()
  const fleet = { snapshot: emptySnapshot(keys), trials: true }
  const notes: Note[] = []
  const lines: LogEvent[] = []
  let keysRefused = 0
  let chain: Chain | null = null

  const noted = ({ endpoint }: NotedAttempt): { endpoint: string } => ({ endpoint: endpoint.name })
  const memory: FleetMemory = {
    look: () => undefined,
    snapshot: () => Promise.resolve(fleet.snapshot),
    keysChangedAt: () => null,
    claimTrial: (_, claims) =>
      Promise.resolve(fleet.trials ? { at: clock.now(), scopes: claims.map(({ scope }) => scope) } : null),
    committed: attempt => notes.push({ kind: 'committed', ...noted(attempt), key: attempt.key }),
    succeeded: (attempt, { firstOutputMs }) =>
      notes.push({ kind: 'succeeded', ...noted(attempt), firstTokenMs: firstOutputMs }),
    silent: () => false,
    failed: (attempt, { kind }) => notes.push({ kind: 'failed', ...noted(attempt), failure: kind }),
    refused: ({ name }, refusal) => notes.push({ kind: 'refused', endpoint: name, refusal }),
    quotas: NO_QUOTAS,
    describe: () => Promise.resolve({ rows: [], readAt: null }),
    settled: () => Promise.resolve(),
  }
  const tools: ServeTools = {
    agents,
    clock,
    secrets: () => [],
    sign: ({ headers }) => Promise.resolve(headers),
    memory,
    sessions: { finishedHeader: () => Promise.resolve({}) },
    usage: { ended: () => undefined },
    limits: { admit: () => Promise.resolve({ states: [], ended: () => undefined }) },
    responses: { holderOf: () => Promise.resolve(null), remember: () => undefined },
    sticky: { servedLast: () => Promise.resolve(null), remember: () => undefined },
    keys: {
      ready: () => Promise.resolve(true),
      ring: () => ({ secretOf: (_, key) => `secret of ${key}` }),
      refused: () => void (keysRefused += 1),
    },
    probeNow: () => Promise.resolve('not-due'),
    hedges: createHedgeBudget(),
    plainAsks: createPlainAsks(clock),
    chains: { find: () => chain, mayUse: () => true, aliasesFor: () => [], closest: () => null },
    log: line => void lines.push(line),
  }

  function endpoint(name: string, overrides: Partial<Endpoint> = {}): Endpoint {
    const [provider = ''] = name.split('/')
    const baseUrl = upstreams.get(provider)?.url ?? 'http://127.0.0.1:1/v1'
    return endpointNamed(name, { baseUrl, ...overrides })
  }

  return {
    clock,
    tools,
    fleet,
    notes,
    lines,
    keysRefused: () => keysRefused,
    upstreams,
    endpoint,
    run(tiers, request = {}) {
      chain = chainOf(tiers.map(tier => tier.map(one => (typeof one === 'string' ? endpoint(one) : one))))
      const now = clock.now()
      const invocation = { client: client.signal, startedAt: now, endsAt: now + AGES_MS }
      return beginRun(requestFor({ body: QUESTION, ...request }), invocation, tools)
    },
    leave: () => client.abort(),
    async [Symbol.asyncDispose]() {
      agents.http.destroy()
      agents.https.destroy()
      for (const upstream of upstreams.values()) await upstream.close()
    },
  }
}
