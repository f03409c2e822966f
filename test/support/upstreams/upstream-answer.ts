import type { Json } from '../../../lambdas/core/json.ts'

/** An HTTP answer as an upstream may give it, well-behaved or not. Durations in milliseconds. */
export type HttpAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with its length, and only half of it unless the end is `clean`; what is no string is sent as JSON. */
  readonly body?: Json
  /** Sent one network write each, without a length, with pauses between them. */
  readonly chunks?: readonly (string | Uint8Array | { readonly sleepMs: number })[]
  readonly headersDelayMs?: number
  /** Between the headers and the first chunk. */
  readonly firstChunkDelayMs?: number
  /** Between chunks. */
  readonly gapMs?: number
  /** Between the last chunk and the end. */
  readonly endDelayMs?: number
  /** `destroy` closes the socket in mid-answer, `reset` sends RST, `silence` leaves it open; default `clean`. */
  readonly end?: 'clean' | 'destroy' | 'reset' | 'silence'
  /** Compresses what is sent, flushed after every chunk. */
  readonly gzip?: boolean
}

/** What an upstream does instead of answering. */
export type Fault =
  'no-response' | 'reset-before-headers' | 'close-before-headers' | 'cut-headers' | 'not-http'

export type UpstreamAnswer =
  | HttpAnswer
  | { readonly fault: Fault }
  /** As after a freeze: a socket that has served a request before is gone; on a fresh one comes `otherwise`. */
  | { readonly fault: 'reset-reused-socket'; readonly otherwise: HttpAnswer }
