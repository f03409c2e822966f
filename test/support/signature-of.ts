import { createHash, createHmac } from 'node:crypto'

/** A request as it arrived, with an `authorization` header of Signature Version 4. */
export type SignedRequest = {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

const textOf = (header: string | string[] | undefined): string => String(header ?? '').trim()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The signature that AWS would compute for a request, from the text of its documentation alone. */
export function signatureOf({ method, path, headers, body }: SignedRequest, secretAccessKey: string): string {
  const authorization = textOf(headers['authorization'])
  const [, scope = ''] = /Credential=[^/]+\/([^,]+)/.exec(authorization) ?? []
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const canonicalHeaders = names.split(';').map(name => `${name}:${textOf(headers[name])}\n`)
  const canonical = [method, path, '', canonicalHeaders.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', textOf(headers['x-amz-date']), scope, sha256(canonical)].join('\n')
  const key = scope
    .split('/')
    .reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secretAccessKey}`)
  return hmac(key, toSign).toString('hex')
}

/** The signature that a request carries. */
export const statedSignature = ({ headers }: SignedRequest): string =>
  /Signature=([0-9a-f]{64})$/.exec(textOf(headers['authorization']))?.[1] ?? ''
