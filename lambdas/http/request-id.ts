import { REQUEST_HEADERS } from '../contract.ts'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { headerOf } from './request-headers.ts'

const PLAIN_ID = /^[\w.:@/+=-]{1,128}$/

/** The client's id where it is plain enough for a header and a log line, else the platform's. */
export function requestIdOf(event: LambdaFunctionURLEvent): string {
  const asked = headerOf(event, REQUEST_HEADERS.requestId)
  return asked && PLAIN_ID.test(asked) ? asked : event.requestContext.requestId
}
