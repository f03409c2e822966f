import type { MiddlewareObj, Request } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { RESPONSE_HEADERS } from '../../contract.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from '../replies/reply.ts'
import { requestIdOf } from '../request-headers.ts'

/**
 * Puts the request's id on every reply, good or bad, so that a client can name what it complains about; and on a
 * request for a model that was refused before any plan, that no endpoint was called.
 */
export function identify(): MiddlewareObj<LambdaFunctionURLEvent, Reply, Error, Exchange> {
  const name = ({
    event,
    response,
    context,
  }: Request<LambdaFunctionURLEvent, Reply, Error, Exchange>): void => {
    if (!response) return
    response.headers[RESPONSE_HEADERS.requestId] = requestIdOf(event)
    const { surface } = context.route
    if (surface?.requestIdHeader) response.headers[surface.requestIdHeader] = requestIdOf(event)
    if (surface) response.headers[RESPONSE_HEADERS.attempts] ??= '0'
  }
  return { after: name, onError: name }
}
