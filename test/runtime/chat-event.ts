import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { functionUrlEvent } from '../support/function-url-event.ts'
import { CLIENT_KEY } from './cloud.ts'

/** A chat request as a Function URL hands it over. */
export const chatEvent = (body: object = {}, key = CLIENT_KEY): LambdaFunctionURLEvent =>
  functionUrlEvent({
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: { model: 'chat', messages: [{ role: 'user', content: 'Hello?' }], ...body },
  })
