import { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { ResponsePrelude } from '../../lambdas/platform/lambda-stream.ts'

/**
 * Installs the global that Lambda's Node runtime offers to streaming handlers. It holds no state of a request. What a
 * handler writes to is the response itself: a stream of its own before each would be garbage that outlives its request,
 * because Node's `WritableState` holds a closure that V8 allocates among what is old.
 */
export function installLambdaGlobal(): void {
  const awslambda = {
    streamifyResponse: <Handler>(handler: Handler): Handler => handler,
    HttpResponseStream: {
      // As in Lambda, nothing is sent until there is a first byte.
      from(response: Writable, { statusCode, headers }: ResponsePrelude): Writable {
        if (!(response instanceof ServerResponse)) throw new TypeError('not a response of this server')
        response.statusCode = statusCode
        // Headers that are given to `writeHead` cannot be read back.
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        return response
      },
    },
  }
  Object.assign(globalThis, { awslambda })
}
