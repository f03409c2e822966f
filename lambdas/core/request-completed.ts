import type { FailureScope } from './failures/kinds.ts'
import type { Rank } from './order/rank.ts'
import type { Usage } from './answers/usage.ts'

/** Whose choice or doing it is that a request fails: alarms are about the gateway's failures only. */
export type AtFault = 'client' | 'gateway'

/** The one structured log line of a request; never prompts, answers or keys. Durations in milliseconds, tiers from 1. */
export type RequestCompleted = {
  event: 'request-completed'
  requestId: string
  /** Of the trace that it is part of; absent where it is part of none. */
  traceId?: string
  /** The name of the client that asked. */
  caller: string
  /** The model alias the client asked for. */
  alias: string
  /** The alias whose chain was called, where the client asked for a name that the default answers. */
  chain?: string
  /** How the request ended for the client. */
  outcome: 'answered' | 'cut' | 'failed' | 'client-left'
  status: number
  code: string | null
  /** Whose doing it is that it ended in an error; null where it did not. */
  atFault: AtFault | null
  stream: boolean
  servedBy: string | null
  plan: {
    candidates: {
      endpoint: string
      id: string
      tier: number
      suspect: boolean
      /** It served this conversation last. */
      sticky?: true
      /** Why it stands where it stands in its tier; absent = as listed. */
      rank?: Rank
      keys: readonly string[]
    }[]
    skipped: {
      endpoint: string
      id: string
      tier: number
      reason: string
      until: number | null
      /** The kind of failure that a cooldown is for. */
      cause: string | null
      /** The field that the endpoint refuses, where that is the reason. */
      param?: string
    }[]
  }
  attempts: {
    endpoint: string
    id: string
    provider: string
    tier: number
    key: string | null
    outcome: string
    /** Whom the failure blames; null where it is no failure. */
    scope: FailureScope | null
    /** The failure proves the endpoint dead. */
    structural: boolean
    status: number | null
    startedAfterMs: number
    durationMs: number
    message: string | null
  }[]
  promptTokensEstimate: number
  /** What the attempts after the first have cost, but for the output of the one that answered. */
  retryTokens: number
  /** The most that they may cost before another is made. */
  retryTokenBudget: number
  usage: Usage | null
  /** What the answer cost, by its upstream's figure or its endpoint's price; null where neither is known. */
  dollars: number | null
  /** What attempts cost that gave no whole answer, by estimate where nobody counted; null where no price is known. */
  lostDollars: number | null
  finishReason: string | null
  malformedEvents: number
  firstTokenMs: number | null
  /** Our own part of the time to the first byte: without attempts, and without deliberate waits. */
  overheadMs: number
  durationMs: number
}
