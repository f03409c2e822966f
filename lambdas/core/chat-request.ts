import type { Caller } from './caller.ts'
import type { Needs } from './capabilities.ts'
import type { AliasKind } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import type { NativeCall } from './native-call.ts'

/** Where a conversation with tools stands, as its request tells. */
export type ToolRound = {
  /** Results of tools came after the last question: side effects have happened. */
  later: boolean
  /** Ids of the calls that have run, the newest last: answered in the messages, or named by the client. */
  finished: readonly string[]
  /** Names the record of the client's session; null where the client sent no id. */
  session: string | null
  /** The client keeps track of what has run: by a session, or by naming the finished calls itself. */
  tracked: boolean
}

/** The conversation that a request goes on with, or begins. */
export type Conversation = {
  /** Neither the client nor what it wrote can be read from it. Made when somebody asks for it. */
  id(): string
  /** The client names it; otherwise it is known by how it begins. */
  named: boolean
  /** It has had an answer before this request. */
  continued: boolean
}

/** A request after parsing: as chat completions JSON, as the client wrote it, and what the gateway read from it. */
export type ChatRequest = {
  id: string
  caller: Caller
  alias: string
  kind: AliasKind
  /** Chat completions JSON, whichever API the client speaks. */
  body: JsonObject
  /** The client's own body. */
  native: JsonObject
  /** How endpoints are called that speak the client's API; null where that is the chat API. */
  nativeCall: NativeCall | null
  /** What a translation of the client's body to `body` has left out, by name. */
  dropped: readonly string[]
  /** As the client calls itself; '' where it does not. */
  userAgent: string
  /** Epoch milliseconds. */
  receivedAt: number
  stream: boolean
  /** The client asked for usage in its stream. */
  includeUsage: boolean
  /** The client asked to hold the answer until it is complete. */
  buffer: boolean
  /** False: only the first endpoint of the plan may be called. */
  fallback: boolean
  dryRun: boolean
  needs: Needs
  /** Estimated prompt tokens. */
  promptTokens: number
  /** What the client lets its retries cost, in tokens; null = as configured. */
  retryTokenBudget: number | null
  toolRound: ToolRound
  /** Null where there are no turns to go on with. */
  conversation: Conversation | null
}
