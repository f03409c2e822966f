import middy from '@middy/core'
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda'
import { authenticate, type AcceptsClientKey } from './authenticate.ts'
import { errorEnvelope } from './error-envelope.ts'
import type { GatewayError } from './gateway-error.ts'
import { identify } from './identify.ts'
import type { Reply } from './reply.ts'
import { isHealthCheck, route } from './route.ts'

/** What one invocation brings along beside its event. */
export type Invocation = {
  /** Aborts when the client leaves, where the platform tells. */
  client: AbortSignal
  /** When the request came in and when the platform ends it; epoch milliseconds. */
  startedAt: number
  endsAt: number
}

export type ApiOptions = {
  acceptsClientKey: AcceptsClientKey
  aliases: readonly string[]
  closestAlias(name: string): string | null
  /** Starts the look at the fleet's memory, as soon as the caller is known. */
  look(): void
  endpoints(): Promise<readonly object[]>
  chat(event: LambdaFunctionURLEvent, invocation: Invocation): Promise<Reply>
  reportError(error: unknown, event: LambdaFunctionURLEvent): void
  /** Told of a request that is refused before it has a plan. */
  reportRefusal(error: GatewayError, event: LambdaFunctionURLEvent): void
}

/**
 * The edge: event in, reply out; never throws. The client key is checked before the body is decoded, so that a
 * caller without one costs next to nothing.
 */
export function createApi(
  options: ApiOptions,
): (event: LambdaFunctionURLEvent, invocation: Invocation) => Promise<Reply> {
  const { acceptsClientKey, aliases, closestAlias, look, endpoints, chat, reportError, reportRefusal } =
    options
  const prepare = middy<LambdaFunctionURLEvent, Reply, Error, Context & Invocation>({
    timeoutEarlyInMillis: 0,
  })
    .use(identify())
    .use(errorEnvelope(reportError, reportRefusal))
    .before(async ({ event }) => {
      if (isHealthCheck(event)) return
      await authenticate(event, acceptsClientKey)
      look()
    })
    .handler((event, invocation) =>
      route(event, { aliases, closestAlias, endpoints, chat: asked => chat(asked, invocation) }),
    )
  // Middy hands the context through untouched; of Lambda's own only what `Invocation` names is used.
  return (event, invocation) => prepare(event, invocation as Context & Invocation)
}
