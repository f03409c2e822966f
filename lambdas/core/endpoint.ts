import type { TrialClaim } from './health/breaker-scope.ts'

import type { Declared } from './capabilities.ts'
import type { JsonObject } from './json.ts'
import type { Rank } from './order/rank.ts'
import type { Strategy } from './order/strategies.ts'
import type { DeclaredQuotas } from './quota/quotas.ts'
import type { EndpointWires } from './native-call.ts'
import type { WantedForm } from './failures/wording/dialect-wording.ts'

/** `<provider>/<upstream model>`; where the base URL is not the catalogue's, `<provider>@<hash>/<upstream model>`. */
export type EndpointId = string

/** Limits in milliseconds; absent = what the settings say. */
export type EndpointTimeouts = {
  connectMs?: number
  firstOutputMs?: number
  idleMs?: number
  totalMs?: number
}

/** Another way to say the same to an endpoint: a field under another name, or a history in another form. */
export type Dialect = { what: 'renamed'; name: string; to: string } | { what: WantedForm }

/** Dollars per million tokens; without `cachedInput`, tokens of the host's cache cost as much as others. */
export type Price = { input: number; output: number; cachedInput?: number | undefined }

/** What a model is asked for. */
export type AliasKind = 'chat' | 'embeddings'

/** One callable: provider + base URL + upstream model, with what its owner declared about it. */
export type Endpoint = Declared & {
  id: EndpointId
  /** What the owner wrote in the configuration; shown to people in headers, errors and logs. */
  name: string
  provider: string
  /** The id whose row of the catalogue it is called by; absent = the provider's own. */
  like?: string
  /** Headers and top-level fields of the body that its owner adds to each call; the client's own fields win. */
  headers?: Readonly<Record<string, string>>
  body?: JsonObject
  /** False: nothing but users' requests is ever sent to it. */
  probe?: false
  /** Without a trailing slash; `/chat/completions` is appended. */
  baseUrl: string
  model: string
  needsKey: boolean
  /** On loopback or a private network: often all that its owner has. */
  isLocal: boolean
  /** Tokens; null = not declared, which counts as large enough. */
  contextWindow: number | null
  /** Fields that it has refused and that change nothing of the answer, by name: it is called without. */
  droppedParams: readonly string[]
  /** The longest answer that it lets a request ask for, in tokens, as it has said itself; absent = unknown. */
  maxOutputTokens?: number
  /** Other APIs in which it can be called; absent = none. */
  wires?: EndpointWires
  /** What it has asked for in another way, and gets so; absent = nothing. */
  dialect?: readonly Dialect[]
  price: Price | null
  /** Its share of the requests of its tier; absent = the strategy decides, or 1 where another replica declares one. */
  weight?: number
  /** Limits that are stated: of each key for all models of its provider, and of each key for this one. */
  quotas?: { ofKey: DeclaredQuotas; ofModel: DeclaredQuotas }
  /** What its aliases are of; absent = chat. */
  kind?: AliasKind
  timeouts: EndpointTimeouts
}

/** Endpoints that serve the same model, most wanted first. */
export type Tier = readonly Endpoint[]

/** What a client asks for by name: ordered tiers, each worse than the one before. */
export type Chain = {
  alias: string
  /** Absent = whatever the client asks for, who has named the endpoint itself. */
  kind?: AliasKind
  tiers: readonly Tier[]
  /** The client has named its one endpoint itself; absent = an alias of the configuration. */
  isDirect?: true
  /** The names of the callers that may use it; absent = all. */
  clients?: readonly string[]
  /** How the replicas of each tier are ordered; absent = as listed. */
  strategy?: Strategy
  /** False: a conversation need not stay where it was served last; absent = it does. */
  sticky?: boolean
  /** A slow first output has the next replica called beside it; absent = never. */
  hedge?: { afterMs: number | null }
  /** Answers are held until complete, so that a cut stream can still fail over. */
  buffer: boolean
}

/** An endpoint in a concrete plan, with the keys that may be used for it, by fingerprint, in order. */
export type Candidate = {
  endpoint: Endpoint
  /** Position of its tier in the chain, from 0. */
  tier: number
  suspect: boolean
  /** Breakers that are not closed: one call in the whole fleet may go through, and all must be claimed first. */
  trial: readonly TrialClaim[]
  /** Only guesses bar it: it is called before their time because nothing else is left. */
  lastResort: boolean
  /** It served this conversation last, and therefore comes before the others of its tier. */
  sticky?: true
  /** Why it stands where it stands in its tier; absent = as listed. */
  rank?: Rank
  /** Empty where the host needs no key and none is set. */
  keys: readonly string[]
}
