import { configuredChains, configuredNames } from '../config/chains.ts'
import type { Environment } from '../config/environment.ts'
import { REQUEST_HEADERS } from '../contract.ts'
import { createCallerLimits } from '../engine/callers/caller-limits.ts'
import { createUsageRecord } from '../engine/callers/usage-record.ts'
import { createFleetMemory } from '../engine/memory/fleet-memory.ts'
import { createResponseMemory } from '../engine/memory/sessions/response-memory.ts'
import { createSessionMemory } from '../engine/memory/sessions/session-memory.ts'
import { createStickyMemory } from '../engine/memory/sessions/sticky-memory.ts'
import { probeOnDemand, type ProbeNow } from '../engine/probes/probe-on-demand.ts'
import { describeModels, describeOrder } from '../engine/request/describe-order.ts'
import { countTokens } from '../engine/request/count-tokens.ts'
import { closeAgents, createAgents } from '../engine/request/upstream/call-upstream.ts'
import { createPlainAsks } from '../engine/memory/counters/plain-asks.ts'
import { createHedgeBudget } from '../engine/request/hedging/hedge-budget.ts'
import { serveChat } from '../engine/request/serve-chat.ts'
import { createSpanExporter } from '../engine/tracing/span-exporter.ts'
import { createBeginTrace, noTrace, passTraceOn } from '../engine/tracing/tracing.ts'
import { functionUrlHandler } from '../http/function-url.ts'
import { createHandle } from '../http/handle.ts'
import type { KeySource } from '../keys/key-source.ts'
import { secretsInUse } from '../keys/secrets-in-use.ts'
import { randomHex, systemClock, type Clock } from '../platform/clock.ts'
import { openResponse, type StreamingHandler } from '../platform/lambda-stream.ts'
import { createRequestSigner } from '../providers/sign-request.ts'
import { composeFleet, type FleetOptions } from './fleet.ts'

export type GatewayOptions = Omit<FleetOptions, 'clock'> & {
  environment: Pick<Environment, 'tracing' | 'passesTraces'>
  /** The keys of clients and providers. */
  keys: KeySource
  /** Time and chance; the machine's own by default. */
  clock?: Clock
  /** The process is never frozen between two requests: what is to be written need not wait for the next one. */
  runsOn?: boolean
}

export type ComposedGateway = {
  handler: StreamingHandler
  /**
   * Reads what the first request would wait for: the keys, and what the fleet remembers. Resolves when both are there,
   * or soon; never rejects.
   */
  begin(): Promise<void>
  /** Lets go of idle connections to upstreams, and writes what is left to write. */
  close(): Promise<void>
}

/** The least time between two writes of an item of the record of use: each costs money, or else only time. */
const USAGE_EVERY_MS = { frozen: 10_000, runsOn: 250 }

/** What has not come by then, the first request waits for. */
const BEGIN_MS = 1_000

/** Wires the gateway together: configuration and environment in, a streaming Function URL handler out. */
export function composeGateway({
  clock = systemClock,
  runsOn = false,
  ...options
}: GatewayOptions): ComposedGateway {
  const { environment, keys, store, log } = options
  const { now } = clock
  const fingerprints = () => keys.ring().fingerprints
  const fleet = composeFleet({ ...options, clock }, fingerprints)
  const warnings = [...environment.warnings, ...fleet.gateway.warnings]
  for (const warning of warnings) log({ event: 'config-warning', warning })
  const memory = createFleetMemory(fleet.memory)
  const chains = configuredChains(fleet.gateway)
  const sessions = createSessionMemory({ store, clock, log, header: REQUEST_HEADERS.completedToolCalls })
  const responses = createResponseMemory({ store, clock, log })
  const lookMs = (): number => fleet.memory.settings().state_wait_ms
  const sticky = createStickyMemory({ store, clock, log, lookMs, keys: fingerprints })
  const limits = createCallerLimits({ store, clock, log, clients: fleet.gateway.clients })
  const usage = createUsageRecord({
    store,
    clock,
    log,
    names: configuredNames(fleet.gateway),
    everyMs: runsOn ? USAGE_EVERY_MS.runsOn : USAGE_EVERY_MS.frozen,
    runsOn,
  })
  const agents = createAgents(clock, environment.proxyFor)
  const sign = createRequestSigner(environment.aws)
  const secrets = secretsInUse(keys, environment.aws)
  const probeTools = {
    ...fleet.memory,
    attempts: { agents, clock, sign, secrets },
    secretOf: (provider: string, key: string) => keys.ring().secretOf(provider, key),
  }
  const probeNow: ProbeNow = (endpoint, call) => probeOnDemand(probeTools, endpoint, call)
  const tools = {
    agents,
    sign,
    secrets,
    clock,
    memory,
    sessions,
    responses,
    sticky,
    usage,
    limits,
    chains,
    keys,
    log,
    probeNow,
    hedges: createHedgeBudget(),
    plainAsks: createPlainAsks(clock),
  }
  const { tracing, passesTraces: passesOn } = environment
  const spans = tracing && createSpanExporter(tracing, { agents, clock, log })
  const handle = createHandle({
    serve: (invocation, parse) => serveChat(invocation, parse, tools),
    countTokens: (invocation, request) => countTokens(invocation, request, tools),
    orderOf: (alias, caller) => describeOrder(alias, caller, tools),
    modelsOf: caller => describeModels(caller, tools),
    chains,
    memory,
    keys,
    now,
    after: clock.after,
    log,
    beginTrace:
      tracing && spans
        ? createBeginTrace({ sampler: tracing.sampler, passesOn, randomHex, add: spans.add })
        : passesOn
          ? passTraceOn
          : noTrace,
  })
  return {
    handler: functionUrlHandler({
      handle,
      openResponse,
      memory,
      writers: [sessions, responses, sticky, usage, limits, ...(spans ? [spans] : [])],
      keys,
      now,
    }),
    close() {
      closeAgents(agents)
      return usage.close()
    },
    async begin() {
      memory.look()
      const late = Promise.withResolvers<void>()
      const cancel = clock.after(BEGIN_MS, late.resolve)
      await Promise.race([Promise.all([keys.ready(), memory.snapshot()]), late.promise])
      cancel()
    },
  }
}
