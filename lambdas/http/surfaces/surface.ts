import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../../core/caller.ts'
import type { AliasKind } from '../../core/endpoint.ts'
import type { LimitState } from '../../core/callers/limit-states.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { ClientError } from '../../core/routing/error-codes.ts'
import type { Trail } from '../../core/routing/trail.ts'
import type { AnswerPart } from '../../core/answers/stream-reader.ts'
import type { StreamedAnswer, WholeAnswer } from '../../engine/request/outcome.ts'
import type { Reply } from '../replies/reply.ts'

/** Turns the values of one relayed answer into the text of one API's events, in order; '' where there is nothing to send. */
export type EventWriter = {
  part(part: AnswerPart): string
  /**
   * The answer broke off: an error event, and nothing that looks like success.
   * @param event the upstream's own, where it speaks this API and has told itself
   */
  cut(error: ClientError, attempts: Trail, event: string | null): string
  end(): string
  /** Keeps clients from thinking that the stream is dead; called where nothing has come for a while. */
  ping?(): string
  /** A cut answer is told by a cut connection too, because this client takes the error event for an end. */
  cutsConnection?: boolean
}

/** What an error tells of the request that it is about. */
export type Asked = {
  requestId: string
  /** The client's: the same error must be told one client in another way than the next. */
  userAgent: string
  /** Estimated; 0 where the request got no further. */
  promptTokens: number
}

/**
 * An API that clients speak. Everything behind it is chat completions JSON: `parse` translates to it, the rest back.
 * Headers that every answer carries are added by the caller.
 */
export type Surface = {
  path: string
  /** What its models are of; absent = chat. */
  kind?: AliasKind
  /** In which clients of this API look for the request's id, beside our own. */
  requestIdHeader?: string
  /** What clients of this API read of their limits, beside OpenAI's headers. */
  limitHeaders?(states: readonly LimitState[]): Record<string, string>
  /** Rejects with `GatewayError` that names the field or header at fault. */
  parse(event: LambdaFunctionURLEvent, caller: Caller): Promise<ChatRequest>
  whole(answer: WholeAnswer): Reply
  /** Begins a streamed answer, whose events may refer to each other. */
  open(answer: StreamedAnswer): EventWriter
  /** In this API's shape and with its status; `attempts` is empty where no endpoint was called. */
  error(error: ClientError, attempts: Trail, asked: Asked): Reply
}
