import type { Writable } from 'node:stream'
import type { LambdaFunctionURLEvent } from 'aws-lambda'

/** Status line and headers of a streamed response. */
export type ResponsePrelude = { statusCode: number; headers: Record<string, string> }

/** What the platform tells of an invocation. */
export type InvocationContext = {
  getRemainingTimeInMillis(): number
  /** Aborts when the process is about to be stopped, where that is known before. */
  shutdown?: AbortSignal
}

/** A Function URL handler in response streaming mode. */
export type StreamingHandler = (
  event: LambdaFunctionURLEvent,
  responseStream: Writable,
  context: InvocationContext,
) => Promise<void>

function lambdaGlobal(): typeof awslambda {
  if (!('awslambda' in globalThis)) {
    throw new Error('The awslambda global is missing: run under Lambda, or through npm start.')
  }
  return awslambda
}

/** Marks a handler as streaming, as Lambda's Node runtime wants it. */
export const streamifyResponse = (handler: StreamingHandler): unknown =>
  lambdaGlobal().streamifyResponse(handler)

/** Sends the prelude and returns the stream that takes the body. */
export const openResponse = (stream: Writable, prelude: ResponsePrelude): Writable =>
  lambdaGlobal().HttpResponseStream.from(stream, prelude)
