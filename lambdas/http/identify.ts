import type { MiddlewareObj, Request } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { RESPONSE_HEADERS } from '../contract.ts'
import type { Reply } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { isChat } from './route.ts'

/**
 * Puts the request's id on every reply, good or bad, so that a client can name what it complains about; and on a
 * chat that was refused before any plan, that nobody was asked.
 */
export function identify(): MiddlewareObj<LambdaFunctionURLEvent, Reply> {
  const name = ({ event, response }: Request<LambdaFunctionURLEvent, Reply>): void => {
    if (!response) return
    response.headers[RESPONSE_HEADERS.requestId] = requestIdOf(event)
    if (isChat(event)) response.headers[RESPONSE_HEADERS.attempts] ??= '0'
  }
  return { after: name, onError: name }
}
