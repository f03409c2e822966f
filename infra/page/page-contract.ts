import type { RequestOutcome } from '../request-contract.ts'

// What passes between the page's server and the page. Instants in epoch milliseconds, durations in milliseconds.

/** What does not change while the page is open. */
export type PageFacts = {
  /** What SDKs are pointed at. */
  baseUrl: string
  /** The stack that the page is about; null = the gateway on this machine. */
  stack: string | null
  /** What commands need to find it, as a shell takes it; empty = nothing. */
  fleetWords: string
  /** Where the fleet's memory is, in words. */
  memory: string
  /** What curl needs to be let in; shell variables stand for every secret. */
  curlOptions: readonly string[]
  /** Where the requests come from, and how fresh they are, where that needs saying. */
  requestsNote: string | null
}

/** The four numbers. */
export type PageNumbers = {
  models: { down: number; all: number }
  providers: { callable: number; all: number }
  /** Of the last hour, or since the count began: requests that were answered, of those that could have been. */
  answered: { part: number; whole: number; since: number }
  /** Of this day in UTC; null = not known. `unpriced`: requests whose price nobody knows. */
  spent: { dollars: number; unpriced: number } | null
}

/** What one model was asked within the last hour. */
export type ModelTraffic = { requests: number; fallbacks: number; answered: number; failed: number }

/** Most requests of the last hour failed; `last` is how the endpoint that is called first failed, where that is known. */
export type ModelTrouble = { failed: number; whole: number; last: string | null }

/** What may bring an endpoint back, and when. */
export type ComingEvent = { what: 'probe' | 'breaker test' | 'cooldown' | 'quota'; at: number }

/** One endpoint of a model's chain. */
export type HopCard = {
  endpoint: string
  /** From 1. */
  tier: number
  /** `now`: it would be called first; `ready`: if its turn came; else it would be skipped. */
  state: 'now' | 'ready' | 'skipped'
  /** How bad it is: nothing is wrong, it comes back by itself, calls to it failed, it lacks something. */
  mark: 'well' | 'waiting' | 'broken' | 'lacking'
  /** Why, where there is something to say. */
  words: string | null
  next: ComingEvent | null
}

/** One model: whether it answers now, and from where. */
export type ModelCard = {
  model: string
  kind: 'chat' | 'embeddings'
  answers: boolean
  /** The last call of the endpoint that answers failed. */
  doubtful: boolean
  /** Of the endpoint that answers, from 1. */
  tier: number | null
  tiers: number
  /** What comes first where nothing answers. */
  next: (ComingEvent & { endpoint: string }) | null
  chain: readonly HopCard[]
  traffic: ModelTraffic | null
  /** What requests tell of a model that should answer; null = nothing bad. */
  trouble: ModelTrouble | null
}

/** The state of the fleet beside its models. */
export type FleetFacts = {
  mode: 'normal' | 'degraded'
  /** How many settings an operator has overridden. */
  overrides: number
  /** What could not be read, in words; null = everything was. */
  problem: string | null
}

/** Cards that are new or changed, and the order of all. */
export type ModelsUpdate = { order: readonly string[]; changed: readonly ModelCard[] }

/** One request as the list shows it. */
export type RequestRow = {
  /** Counts up; an id may come twice. */
  serial: number
  id: string
  at: number
  /** Null where it was refused before its model was known. */
  model: string | null
  caller: string | null
  outcome: RequestOutcome
  status: number | null
  code: string | null
  servedBy: string | null
  /** Of the endpoint that answered, from 1. */
  tier: number | null
  hops: readonly { endpoint: string; outcome: string; status: number | null; ms: number }[]
  /** Hops that are not listed. */
  moreHops: number
  /** Where none was called, why the first ones were not. */
  skips: readonly { endpoint: string; reason: string }[]
  ms: number | null
  tokens: number | null
  dollars: number | null
}

/** What happened to a request, as the list is narrowed by it. */
export type ShownOutcome = RequestOutcome | 'fallback'

/** By which the list of requests can be narrowed; absent = all. */
export type RequestFilter = { model?: string; caller?: string; outcome?: ShownOutcome }

/** New rows, newest first, and how many more came than are told. */
export type RequestsUpdate = { rows: readonly RequestRow[]; untold: number }

/** The events of `GET /local/page/events`, by name. */
export type PageEvents = {
  /** First of all; `now` is the server's clock. */
  hello: { facts: PageFacts; now: number; callers: readonly string[] }
  numbers: PageNumbers
  fleet: FleetFacts
  models: ModelsUpdate
  requests: RequestsUpdate
}

/** A text with the style that a terminal would give it; a line is a list of them. */
export type Span = { style: string | null; text: string }
export type Explanation = { id: string; lines: readonly (readonly Span[])[] }

export const PAGE_ACTIONS = ['probe', 'release', 'quarantine'] as const
export type PageAction = (typeof PAGE_ACTIONS)[number]
/** What an action did, in a sentence. */
export type ActionReport = { message: string }
