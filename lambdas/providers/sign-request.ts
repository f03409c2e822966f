import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { regionOfHost } from '../core/aws-region.ts'
import { providerRow } from './catalog.ts'

/** Credentials of an AWS identity, and the region it calls. */
export type SigningIdentity = {
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}

export type UnsignedRequest = {
  provider: string
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** Epoch milliseconds. */
  at: number
}

/** The headers of a POST request, signed where the provider is one of AWS. */
export type SignRequest = (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>

/** What the signature library wants a hash to be, on top of Node's own. */
class Sha256 {
  readonly #hash: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data))
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    throw new Error('Not needed: a hash is used once.')
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data)
  if (data instanceof ArrayBuffer) return Buffer.from(data)
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** Signs requests (AWS Signature Version 4) as this identity; without credentials none is changed. */
export function createRequestSigner({ region, credentials }: SigningIdentity): SignRequest {
  return async ({ provider, url, headers, body, at }) => {
    const service = providerRow(provider).signedAs
    if (service === null || credentials === null) return headers
    const { protocol, host, hostname, pathname, searchParams } = new URL(url)
    const signature = new SignatureV4({
      service,
      // The host may be one of another region than ours.
      region: regionOfHost(hostname) ?? region,
      credentials,
      sha256: Sha256,
    })
    const signed = await signature.sign(
      {
        method: 'POST',
        protocol,
        hostname,
        path: pathname,
        query: Object.fromEntries(searchParams),
        // Only what no proxy on the way rewrites.
        headers: { host, 'content-type': headers['content-type'] ?? 'application/json' },
        body,
      },
      { signingDate: new Date(at) },
    )
    return { ...headers, ...signed.headers }
  }
}
