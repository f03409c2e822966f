import type { MiddlewareObj, Request } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { RESPONSE_HEADERS } from '../contract.ts'
import type { Reply } from './reply.ts'
import { requestIdOf } from './request-id.ts'

/** Puts the request's id on every reply, good or bad, so that a client can name what it complains about. */
export function identify(): MiddlewareObj<LambdaFunctionURLEvent, Reply> {
  const name = ({ event, response }: Request<LambdaFunctionURLEvent, Reply>): void => {
    if (response) response.headers[RESPONSE_HEADERS.requestId] = requestIdOf(event)
  }
  return { after: name, onError: name }
}
