import type { MiddlewareObj } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { errorReply } from './error-reply.ts'
import { GatewayError } from './gateway-error.ts'
import type { Reply } from './reply.ts'

/** Turns whatever was thrown into one error in OpenAI's shape; what nobody foresaw is reported, not shown. */
export function errorEnvelope(
  reportError: (error: unknown, event: LambdaFunctionURLEvent) => void,
  reportRefusal: (error: GatewayError, event: LambdaFunctionURLEvent) => void,
): MiddlewareObj<LambdaFunctionURLEvent, Reply> {
  return {
    onError: request => {
      const { error, event } = request
      if (error instanceof GatewayError) {
        reportRefusal(error, event)
        request.response = errorReply({ code: error.code, message: error.message, param: error.param })
        return
      }
      reportError(error, event)
      const message = 'The gateway failed in a way that was not foreseen. Its log holds the reason.'
      request.response = errorReply({ code: 'internal_error', message })
    },
  }
}
