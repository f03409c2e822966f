import type { Log } from '../core/log-event.ts'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { closestAlias } from '../config/closest-alias.ts'
import { directChain } from '../config/direct-chain.ts'
import type { Environment } from '../config/environment.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import { endpointsOf } from '../config/endpoints-of.ts'
import type { KeySource } from '../keys/key-source.ts'
import { resolveGateway } from '../config/resolve-gateway.ts'
import { REQUEST_HEADERS } from '../contract.ts'
import type { Chain } from '../core/endpoint.ts'
import type { Failure } from '../core/failures/failure.ts'
import { environmentKeyAdvice, type KeyAdvice } from '../core/routing/key-advice.ts'
import { planChain } from '../core/routing/plan.ts'
import { answerChat } from '../engine/request/answer-chat.ts'
import { createAgents } from '../engine/request/call-upstream.ts'
import { createFleetMemory, type NotedAttempt } from '../engine/memory/fleet-memory.ts'
import { createMemoryTools } from '../engine/memory/memory-tools.ts'
import { createSessionMemory } from '../engine/memory/session-memory.ts'
import { chatReply } from '../http/chat-reply.ts'
import { createApi, type Invocation } from '../http/create-api.ts'
import { GatewayError } from '../http/gateway-error.ts'
import { createRefusalLog } from '../http/refusal-log.ts'
import { parseChatRequest } from '../http/parse-chat-request.ts'
import { planReply } from '../http/plan-reply.ts'
import type { Reply } from '../http/reply.ts'
import { requestIdOf } from '../http/request-id.ts'
import { send } from '../http/send.ts'
import { unknownModel } from '../http/unknown-model.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { openResponse, type StreamingHandler } from '../platform/lambda-stream.ts'
import { createRequestSigner } from '../providers/sign-request.ts'
import type { FleetStore } from '../store/fleet-store.ts'

export type GatewayOptions = {
  config: GatewayConfig
  environment: Pick<Environment, 'settings' | 'aws'>
  /** The keys of clients and providers. */
  keys: KeySource
  /** The fleet's memory. */
  store: FleetStore
  /** What to do where no provider has a key; by default to set variables of the environment. */
  keyAdvice?: KeyAdvice
  /** Time and chance; the machine's own by default. */
  clock?: Clock
  /** Takes structured lines; one `request-completed` a chat request. */
  log: Log
}

/** What is left of the platform's time for saying goodbye. */
const GOODBYE_MS = 1_500

export type ComposedGateway = {
  handler: StreamingHandler
  /** Lets go of idle connections to upstreams. */
  close(): void
}

/** Wires the gateway together: configuration and environment in, a streaming Function URL handler out. */
export function composeGateway(options: GatewayOptions): ComposedGateway {
  const { config, environment, keys, store, log } = options
  const { keyAdvice = environmentKeyAdvice, clock = systemClock } = options
  const gateway = resolveGateway(config, environment.settings, environment.aws.region)
  const { chains } = gateway
  const agents = createAgents()
  const memory = createFleetMemory(
    createMemoryTools({
      store,
      clock,
      endpoints: endpointsOf(gateway),
      keys: () => keys.ring().fingerprints,
      settings: gateway.settings,
      log,
    }),
  )
  const sessions = createSessionMemory({ store, clock, log, header: REQUEST_HEADERS.completedToolCalls })
  const tools = {
    agents,
    sessions,
    clock,
    log,
    keyAdvice,
    sign: createRequestSigner(environment.aws),
    memory: { ...memory, failed: noteFailure },
    secretOf: (provider: string, key: string) => keys.ring().secretOf(provider, key),
  }

  function noteFailure(attempt: NotedAttempt, failure: Failure): void {
    if (failure.kind === 'auth') keys.refused()
    memory.failed(attempt, failure)
  }

  async function demandKeys(): Promise<void> {
    if (await keys.ready()) return
    throw new GatewayError('keys_unavailable', 'The keys of this gateway cannot be read now. Try again soon.')
  }

  const { acceptsClientKey } = keys
  const acceptsFetchedKey = async (presented: string): Promise<boolean> => {
    await demandKeys()
    return acceptsClientKey === null || acceptsClientKey(presented)
  }

  function chainOf(alias: string): Chain {
    const chain = chains.get(alias) ?? (memory.settings().direct_models ? directChain(gateway, alias) : null)
    if (chain) return chain
    throw unknownModel(alias, closestAlias(gateway, alias))
  }

  async function chat(event: LambdaFunctionURLEvent, invocation: Invocation): Promise<Reply> {
    const request = parseChatRequest(event, requestIdOf(event))
    await demandKeys()
    // What an operator has just set is known only by the look that is under way.
    const snapshot = await memory.snapshot()
    const chain = chainOf(request.alias)
    if (request.dryRun) {
      return planReply(request, planChain(request, chain, snapshot, clock.now()), clock.now())
    }
    const settings = memory.settings()
    const left = invocation.endsAt - clock.now()
    const bounded = { ...settings, first_byte_deadline_ms: Math.min(settings.first_byte_deadline_ms, left) }
    const outcome = await answerChat({ request, chain, settings: bounded, snapshot, ...invocation }, tools)
    return chatReply(outcome, clock.now())
  }

  const api = createApi({
    acceptsClientKey: acceptsClientKey && acceptsFetchedKey,
    aliases: [...chains.keys()],
    look: memory.look,
    closestAlias: name => closestAlias(gateway, name),
    chat,
    async endpoints() {
      try {
        return await memory.describe()
      } catch {
        throw new GatewayError(
          'memory_unavailable',
          "The table that holds the fleet's memory cannot be read now.",
        )
      }
    },
    reportRefusal: createRefusalLog({ log, now: clock.now }),
    reportError: (error, event) =>
      log({
        event: 'internal-error',
        requestId: requestIdOf(event),
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  })

  const handler: StreamingHandler = async (event, responseStream, context) => {
    const startedAt = clock.now()
    const departure = new AbortController()
    responseStream.once('close', () => {
      if (!responseStream.writableFinished) departure.abort()
    })
    const reply = await api(event, {
      client: departure.signal,
      startedAt,
      endsAt: startedAt + context.getRemainingTimeInMillis() - GOODBYE_MS,
    })
    try {
      await send(reply, prelude => openResponse(responseStream, prelude))
    } finally {
      keys.changed(memory.keysChangedAt())
      await Promise.all([memory.settled(), sessions.settled(), keys.settled()])
    }
  }
  const close = (): void => {
    agents.http.destroy()
    agents.https.destroy()
  }
  return { handler, close }
}
