import type { LimitState } from '../../core/callers/limit-states.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import type { Plan } from '../../core/routing/plan.ts'
import type { AttemptRecord, Trail } from '../../core/routing/trail.ts'
import type { RelayValue } from './relay.ts'

/** Lets go of the upstream and records how the answer ended. To be called once, however the sending went. */
export type CloseAnswer = () => Promise<void>

type Answer = {
  /** How the limits of its caller stand. */
  limits: readonly LimitState[]
  request: ChatRequest
  plan: Plan
  trail: Trail
  /** The attempt that answers. */
  served: AttemptRecord
  /** It came in the client's own API, and is passed on as it came. */
  isNative: boolean
  close: CloseAnswer
}

/** An answer that is there in full, as one chat completion. */
export type WholeAnswer = Answer & {
  kind: 'whole'
  completion: JsonObject
  /** As it came, where that is what the client gets; always where it is native. */
  text: string | null
  /** What it cost; null where nobody knows. */
  dollars: number | null
}

/** An answer whose first output has come; `values` may be read once. */
export type StreamedAnswer = Answer & {
  kind: 'streamed'
  values: AsyncIterable<RelayValue>
  /** To be told when the answer could not be written on: it ends as cut, by nobody's fault but ours. */
  failWriting(error: unknown): Failure
}

/** How a request ended, as far as its status line goes: a stream's own end comes later. */
export type Outcome =
  | { kind: 'planned'; request: ChatRequest; plan: Plan }
  | {
      kind: 'failed'
      request: ChatRequest
      plan: Plan
      trail: Trail
      limits: readonly LimitState[]
      finalError: FinalError
    }
  | WholeAnswer
  | StreamedAnswer
