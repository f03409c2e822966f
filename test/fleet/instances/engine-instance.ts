import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { planChain, type Plan } from '../../../lambdas/core/routing/plan.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../../lambdas/core/settings/settings.ts'
import { createAgents } from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import {
  createFleetMemory,
  type FleetMemory,
  type NotedAttempt,
} from '../../../lambdas/engine/memory/fleet-memory.ts'
import { createMemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import type { ProbeResult, ProbeTools } from '../../../lambdas/engine/probes/probe-endpoint.ts'
import { runProbes, type ProbePass } from '../../../lambdas/engine/probes/run-probes.ts'
import type { Clock } from '../../../lambdas/platform/clock.ts'
import type { SignRequest } from '../../../lambdas/providers/sign-request.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { chainOf, requestFor, timed } from '../../core/build.ts'

type Line = { event: string; [name: string]: unknown }

type Options = {
  store: FleetStore
  clock: Clock
  endpoints: readonly Endpoint[]
  settings?: Partial<Settings>
  keys?: ReadonlyMap<string, readonly string[]>
}

/** The engine of one instance, without its HTTP side: what it notes, plans and probes. */
export type EngineInstance = AsyncDisposable & {
  memory: FleetMemory
  tools: ProbeTools
  lines: Line[]
  /** One request's attempts in a row; the last one's end is the request's. */
  request(
    ...attempts: readonly { endpoint: Endpoint; failure: Failure | null; key?: string }[]
  ): Promise<void>
  /** One request through whatever breaker stands before an endpoint. */
  trial(endpoint: Endpoint, failure: Failure | null): Promise<void>
  /** Plans these endpoints as one tier, with a new look at the table where that is due. */
  plan(...endpoints: readonly Endpoint[]): Promise<Plan>
  probe(pass?: Partial<ProbePass>): Promise<readonly ProbeResult[]>
}

export function createInstance({ store, clock, endpoints, settings, keys }: Options): EngineInstance {
  const lines: Line[] = []
  const agents = createAgents(clock)
  // None of these providers is one of AWS.
  const sign: SignRequest = ({ headers }) => Promise.resolve(headers)
  const memoryTools = createMemoryTools({
    store,
    clock,
    endpoints,
    keys: () => keys ?? new Map<string, string[]>(),
    settings: { ...DEFAULT_SETTINGS, ...settings },
    log: line => void lines.push(line as Line),
  })
  const memory = createFleetMemory(memoryTools)
  const tools: ProbeTools = {
    ...memoryTools,
    attempts: { agents, clock, sign, secrets: () => [] },
    secretOf: () => 'secret',
  }
  let requests = 0
  return {
    memory,
    tools,
    lines,
    async request(...attempts) {
      await memory.snapshot()
      requests += 1
      for (const { endpoint, failure, key = null } of attempts) {
        const noted: NotedAttempt = { endpoint, key, requestId: `r${requests}`, startedAt: clock.now() }
        if (failure) memory.failed(noted, failure)
        else {
          memory.committed(noted)
          memory.succeeded(noted, timed())
        }
      }
      await memory.settled()
    },
    async trial(endpoint, failure) {
      const plan = planChain(requestFor(), chainOf([[endpoint]]), await memory.snapshot(), clock.now())
      const [candidate] = plan.candidates
      const trial = candidate && (await memory.claimTrial(endpoint, candidate.trial))
      if (!candidate || !trial) throw new Error(`no trial of ${endpoint.name}`)
      requests += 1
      const key = candidate.keys[0] ?? null
      const noted: NotedAttempt = { endpoint, key, requestId: `r${requests}`, startedAt: clock.now(), trial }
      if (failure) memory.failed(noted, failure)
      else {
        memory.committed(noted)
        memory.succeeded(noted, timed())
      }
      await memory.settled()
    },
    async plan(...endpoints) {
      return planChain(requestFor(), chainOf([endpoints]), await memory.snapshot(), clock.now())
    },
    probe: (pass = {}) =>
      runProbes(tools, { force: false, only: null, endsAt: Number.MAX_SAFE_INTEGER, ...pass }),
    async [Symbol.asyncDispose]() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
