import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import { GatewayError } from './gateway-error.ts'
import { headerOf } from './request-headers.ts'

/** Null where every caller is welcome: a gateway on loopback without client keys. */
export type AcceptsClientKey = ((presented: string) => boolean | Promise<boolean>) | null

/** The client keys that a caller shows, in either header. */
export function presentedKeys(event: LambdaFunctionURLEvent): readonly string[] {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headerOf(event, 'authorization') ?? '')?.[1]
  return [bearer, headerOf(event, REQUEST_HEADERS.apiKey)].filter(key => key !== undefined)
}

/** Throws 401 unless the caller shows a client key of this gateway, in either header. */
export async function authenticate(
  event: LambdaFunctionURLEvent,
  acceptsClientKey: AcceptsClientKey,
): Promise<void> {
  if (!acceptsClientKey) return
  const keys = presentedKeys(event)
  for (const key of keys) if (await acceptsClientKey(key)) return
  throw new GatewayError(
    'invalid_api_key',
    keys.length > 0
      ? 'This client key is not one of this gateway.'
      : 'No client key was sent. Send "Authorization: Bearer <client key>" or "x-api-key: <client key>".',
  )
}
