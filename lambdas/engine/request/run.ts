import type { Caller } from '../../core/caller.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { Chain } from '../../core/endpoint.ts'
import { keysUnavailable } from '../../core/routing/gateway-error.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { isSentOnce } from '../../core/routing/tool-round.ts'
import { modelNotAllowed, unknownModel, wrongKind } from '../../core/routing/unknown-model.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { retryBudget, type RetryLimit } from '../../core/tokens/retry-tokens.ts'
import type { Admission } from '../callers/caller-limits.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'

/** What one invocation brings along beside its event. */
export type Invocation = {
  /** Aborts when the client leaves, where the platform tells. */
  client: AbortSignal
  /** When the request came in and when the platform ends it; epoch milliseconds. */
  startedAt: number
  endsAt: number
  /** Aborts when the gateway itself is about to be stopped. */
  shutdown?: AbortSignal | undefined
  /** The client keys that it shows, right or wrong. */
  presentedKeys?: readonly string[]
  /** Absent where nothing is recorded, and nothing passed on. */
  trace?: RequestTrace | undefined
}

/** One request on its way through the gateway. */
export type Run = Invocation & {
  request: ChatRequest
  chain: Chain
  /** As they are in force for this request, to its end. */
  settings: Settings
  /** The picture that the request has waited for, so that its first plan need not wait once more. */
  snapshot: Snapshot
  retryLimit: RetryLimit
  /** It must reach an upstream at most once. */
  sentOnce: boolean
}

/** A run that its caller's limits let through, which are told in the end what it has used. */
export type AdmittedRun = Run & { admission: Admission }

/** The chains that clients can ask for by name. */
export type Chains = {
  find(alias: string, settings: Pick<Settings, 'direct_models'>): Chain | null
  mayUse(caller: Caller, chain: Chain): boolean
  /** The aliases that a caller may use. */
  aliasesFor(caller: Caller): readonly string[]
  /** The alias that was most likely meant. */
  closest(alias: string, caller: Caller): string | null
}

/** The keys of the providers. */
export type ProviderKeys = {
  /** False = none could be read yet. Never rejects. */
  ready(): Promise<boolean>
  ring(): { secretOf(provider: string, key: string): string | undefined }
  /** A provider refused a key: another may have taken its place. */
  refused(): void
}

export type RunTools = { memory: FleetMemory; keys: ProviderKeys; chains: Chains }

/** Finds what a request needs before it can be planned. Throws `GatewayError` where there is no such chain, or no key yet. */
export async function beginRun(
  request: ChatRequest,
  { client, startedAt, endsAt, presentedKeys = [], shutdown, trace }: Invocation,
  { memory, keys, chains }: RunTools,
): Promise<Run> {
  if (!(await keys.ready())) throw keysUnavailable()
  // What an operator has just set is known only by the look that is under way.
  const snapshot = await memory.snapshot()
  const { settings: configured } = snapshot
  const { alias, caller } = request
  const chain = chains.find(alias, configured)
  if (!chain) throw unknownModel(alias, chains.closest(alias, caller))
  if (!chains.mayUse(caller, chain)) throw modelNotAllowed(alias, caller.name, chains.aliasesFor(caller))
  if (chain.kind && chain.kind !== request.kind) {
    // A default of another kind answers nothing here.
    throw chain.alias === alias
      ? wrongKind(alias, chain.kind)
      : unknownModel(alias, chains.closest(alias, caller))
  }
  const deadlineMs = Math.min(configured.first_byte_deadline_ms, endsAt - startedAt)
  const isShorter = deadlineMs < configured.first_byte_deadline_ms
  const settings = isShorter ? { ...configured, first_byte_deadline_ms: deadlineMs } : configured
  const { promptTokens, retryTokenBudget, toolRound } = request
  const budget = retryBudget(settings.retry_token_budget, promptTokens, retryTokenBudget)
  return {
    client,
    presentedKeys,
    shutdown,
    trace,
    startedAt,
    endsAt,
    request,
    chain,
    settings,
    snapshot,
    retryLimit: { promptTokens, budget },
    sentOnce: isSentOnce(toolRound, settings),
  }
}
