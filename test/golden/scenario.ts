import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { errorAnswer } from '../support/upstreams/chat-bodies.ts'
import type { MemoryStore, Misbehaviour } from '../support/tables/memory-store.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'

/** What a scenario starts from: instants relative to its beginning, and the identity of an endpoint in the table. */
export type Beginning = {
  /** Epoch milliseconds. */
  at(offsetMs: number): number
  /** Of `<provider>/<model>`. */
  idOf(endpoint: string): string
}

export type TableItem = Parameters<MemoryStore['plant']>[0]

/** One request, by default a chat request for the alias `chat`. */
export type GoldenRequest = {
  method?: string
  path?: string
  headers?: Record<string, string>
  /** Laid over the default chat body. */
  chat?: Record<string, unknown>
  /** Instead of a chat body. */
  text?: string
}

export type Step = GoldenRequest | 'probe'

export type Scenario = {
  name: string
  /** What each provider answers; `closed` = nothing listens there. */
  upstreams: Record<string, UpstreamScript | 'closed'>
  /** Of the alias `chat`; by default one tier for each provider, with its model `m`. */
  tiers?: (string | Record<string, unknown>)[][]
  /** Further fields of the alias. */
  alias?: Record<string, unknown>
  settings?: Record<string, unknown>
  /** Keys in the environment; a provider that has none in it is called without. */
  variables?: Record<string, string>
  /** What the table holds before the first request. */
  items?(beginning: Beginning): TableItem[]
  /** How the table goes wrong. */
  table?: Misbehaviour
  /** Another gateway stands before the one with these upstreams. */
  nested?: boolean
  /** By default one plain chat request. */
  steps?: readonly Step[]
}

/** Every message that an upstream gives: what of them comes through is compared, and our own words are not. */
export const UPSTREAM_WORDS = new Set<string>()

/** An error in OpenAI's shape, whose message is looked for wherever it may come out again. */
export function says(
  status: number,
  message: string,
  { headers, ...rest }: { type?: string; code?: string; headers?: Record<string, string> } = {},
): HttpAnswer {
  UPSTREAM_WORDS.add(message)
  return errorAnswer(status, { message, ...rest }, headers)
}

export const STREAMED: GoldenRequest = { chat: { stream: true } }
