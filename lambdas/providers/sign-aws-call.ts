import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'

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
