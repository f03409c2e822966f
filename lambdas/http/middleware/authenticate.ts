import type { MiddlewareObj } from '@middy/core'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../../contract.ts'
import type { Caller } from '../../core/caller.ts'
import { GatewayError, keysUnavailable } from '../../core/routing/gateway-error.ts'
import type { KeySource } from '../../keys/key-source.ts'
import type { Exchange } from './exchange.ts'
import type { Reply } from '../replies/reply.ts'
import { keysIn } from '../presented-keys.ts'
import { headerOf } from '../request-headers.ts'

type ClientKeys = Pick<KeySource, 'clientOf' | 'ready'>

/** The client keys that a caller shows. */
export const presentedKeys = (event: LambdaFunctionURLEvent): readonly string[] =>
  keysIn(headerOf(event, 'authorization'), headerOf(event, REQUEST_HEADERS.apiKey))

/**
 * Who has signed the request, where the platform has verified that: `123456789012:assumed-role/billing`. A role's
 * session changes from process to process, and the role does not.
 */
function signerOf(event: LambdaFunctionURLEvent): string | null {
  // The library's type leaves out what the platform adds where it has verified a signature.
  const { authorizer } = event.requestContext as { authorizer?: { iam?: { userArn?: string } } }
  const [, account, identity] =
    /^arn:[\w-]+:\w+::(\d+):((?:assumed-role\/[^/]+)|.+)/.exec(authorizer?.iam?.userArn ?? '') ?? []
  return account === undefined ? null : `${account}:${identity}`
}

/** Who sent this request. Throws 401 unless the caller shows a client key of this gateway, in either header. */
export async function callerOf(
  event: LambdaFunctionURLEvent,
  { clientOf, ready }: ClientKeys,
): Promise<Caller> {
  if (!clientOf) return { name: signerOf(event) ?? 'loopback' }
  const presented = presentedKeys(event)
  for (const key of presented) {
    if (!(await ready())) throw keysUnavailable()
    const name = await clientOf(key)
    if (name !== null) return { name }
  }
  throw new GatewayError(
    'invalid_api_key',
    presented.length > 0
      ? 'Invalid client key.'
      : 'No client key was sent. Send "Authorization: Bearer <client key>" or "x-api-key: <client key>".',
  )
}

/** Lets only known callers through, before anything is decoded: one without a key costs next to nothing. */
export function authenticate(
  keys: ClientKeys,
  whenKnown: () => void,
): MiddlewareObj<LambdaFunctionURLEvent, Reply, Error, Exchange> {
  return {
    async before({ event, context }) {
      if (context.route.open) return
      context.caller = await callerOf(event, keys)
      whenKnown()
    },
  }
}
