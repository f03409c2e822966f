import { SignatureV4 } from '@smithy/signature-v4'
import { Sha256 } from './sha256.ts'

/** Keys of an AWS identity. */
export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** A call of a service of AWS. */
export type AwsCall = {
  service: string
  region: string
  method: string
  url: string
  /** Signed as they are: only what no proxy on the way rewrites. */
  headers: Readonly<Record<string, string>>
  body: string | Buffer
  /** Epoch milliseconds. */
  at: number
}

/** The headers that prove to AWS who calls (Signature Version 4), beside those that are signed. */
export async function signAwsCall(call: AwsCall, credentials: AwsKeys): Promise<Record<string, string>> {
  const { service, region, method, url, headers, body, at } = call
  const { protocol, host, hostname, pathname, searchParams } = new URL(url)
  const signature = new SignatureV4({ service, region, credentials, sha256: Sha256 })
  const request = {
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { host, ...headers },
    body,
  }
  return (await signature.sign(request, { signingDate: new Date(at) })).headers
}
