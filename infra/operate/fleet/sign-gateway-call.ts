import { systemClock } from '../../../lambdas/platform/clock.ts'
import { signAwsCall } from '../../../lambdas/providers/sign-aws-call.ts'
import type { AwsSession } from './aws-session.ts'

/** Headers that prove to the platform who calls a Function URL. */
export type SignGatewayCall = (call: {
  method: string
  url: string
  contentType: string | null
  body: string
}) => Promise<Readonly<Record<string, string>>>

/** Signs calls of a Function URL with `auth: 'iam'` as the identity of this session. */
export function createGatewaySigner({ region, credentials }: AwsSession): SignGatewayCall {
  return async ({ contentType, ...call }) => {
    const headers: Record<string, string> = contentType === null ? {} : { 'content-type': contentType }
    const at = systemClock.now()
    const signed = await signAwsCall({ ...call, service: 'lambda', region, headers, at }, await credentials())
    // fetch sets it, and refuses it as a header of ours.
    const { host: _, ...own } = signed
    return own
  }
}
