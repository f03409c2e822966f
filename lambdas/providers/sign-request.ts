import { regionOfHost } from '../core/aws-region.ts'
import { providerRow } from './catalog.ts'
import { type AwsKeys, signAwsCall } from './sign-aws-call.ts'

/** Credentials of an AWS identity, and the region it calls. */
export type SigningIdentity = {
  region: string
  credentials: AwsKeys | null
}

export type UnsignedRequest = {
  /** Whose row it is called by. */
  provider: string
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** Epoch milliseconds. */
  at: number
}

/** The headers of a POST request, signed where the provider is one of AWS. */
export type SignRequest = (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>

/** Signs requests (AWS Signature Version 4) as this identity; without credentials none is changed. */
export function createRequestSigner({ region, credentials }: SigningIdentity): SignRequest {
  return async ({ provider, url, headers, body, at }) => {
    const service = providerRow(provider).signedAs
    if (service === null || credentials === null) return headers
    const call = {
      service,
      // The host may be one of another region than ours.
      region: regionOfHost(new URL(url).hostname) ?? region,
      method: 'POST',
      url,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      body,
      at,
    }
    return { ...headers, ...(await signAwsCall(call, credentials)) }
  }
}
