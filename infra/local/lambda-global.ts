import type { Writable } from 'node:stream'
import type { ResponsePrelude } from '../../lambdas/platform/lambda-stream.ts'
import { ResponseStream } from './response-stream.ts'

/** Installs the global that Lambda's Node runtime offers to streaming handlers. It holds no state of a request. */
export function installLambdaGlobal(): void {
  const awslambda = {
    streamifyResponse: <Handler>(handler: Handler): Handler => handler,
    HttpResponseStream: {
      from(responseStream: Writable, prelude: ResponsePrelude): Writable {
        if (!(responseStream instanceof ResponseStream))
          throw new TypeError('not a response stream of this server')
        responseStream.begin(prelude)
        return responseStream
      },
    },
  }
  Object.assign(globalThis, { awslambda })
}
