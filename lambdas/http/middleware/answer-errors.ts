import type { MiddlewareObj } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { stackOf } from '../../core/stack-of.ts'
import { ClientLimitError } from '../../core/routing/client-limit-error.ts'
import { GatewayError } from '../../core/routing/gateway-error.ts'
import type { Exchange } from './exchange.ts'
import { createRejectionLog, type RejectionLogOptions } from './rejection-log.ts'
import type { Reply } from '../replies/reply.ts'
import { headerOf, requestIdOf } from '../request-headers.ts'
import { limitHeaders } from '../replies/limit-headers.ts'
import { retryHeaders } from '../replies/response-headers.ts'
import { statedWait } from '../replies/stated-wait.ts'
import { chatCompletions } from '../surfaces/chat-completions.ts'

/** Turns whatever was thrown into one error in the shape of the client's API; the unexpected is logged, not shown. */
export function answerErrors(
  options: RejectionLogOptions,
): MiddlewareObj<LambdaFunctionURLEvent, Reply, Error, Exchange> {
  const logRejection = createRejectionLog(options)
  const logInternal = (error: unknown, requestId: string): void =>
    options.log({
      event: 'internal-error',
      requestId,
      error: stackOf(error),
    })
  return {
    onError(request) {
      const { error, event, context } = request
      const requestId = requestIdOf(event)
      const isExpected = error instanceof GatewayError
      if (isExpected) logRejection(error, requestId, context.caller)
      else logInternal(error, requestId)
      const message = `Internal gateway error; see the log for request ID ${requestId}.`
      const shown = isExpected ? error : { code: 'internal_error' as const, message }
      const userAgent = headerOf(event, 'user-agent') ?? ''
      const surface = context.route.surface ?? chatCompletions
      const reply = surface.error(shown, [], { requestId, userAgent, promptTokens: 0 })
      const headers = {
        ...reply.headers,
        ...(error instanceof ClientLimitError
          ? {
              ...limitHeaders(error.states, surface, options.now()),
              ...retryHeaders(statedWait(error, userAgent)),
            }
          : retryHeaders(null)),
      }
      request.response = { ...reply, headers }
    },
  }
}
