import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsSession } from './aws-session.ts'

/** Headers that prove to the platform who calls a Function URL. */
export type SignGatewayCall = (call: {
  method: string
  url: string
  contentType: string | null
  body: string
}) => Promise<Readonly<Record<string, string>>>

/** Signs calls of a Function URL with `auth: 'iam'` as the identity of this session. */
export function createGatewaySigner(session: AwsSession): SignGatewayCall {
  const { region, credentials } = session
  const { sha256 } = new CloudFormationClient(session).config
  const signature = new SignatureV4({ service: 'lambda', region, credentials, sha256 })
  return async ({ method, url, contentType, body }) => {
    const { protocol, host, hostname, pathname, searchParams } = new URL(url)
    const { headers } = await signature.sign({
      method,
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host, ...(contentType !== null && { 'content-type': contentType }) },
      ...(body !== '' && { body }),
    })
    const { host: _, ...own } = headers
    return own
  }
}
