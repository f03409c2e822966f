import { describe, expect, it, test } from 'vitest'
import { createRequestSigner } from '../../lambdas/providers/sign-request.ts'
import { signatureOf, statedSignature } from '../support/signature-of.ts'

// The credentials and the request "post-vanilla" of AWS's own test suite.
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET }
const at = Date.UTC(2015, 7, 30, 12, 36)

const PATH = '/openai/v1/chat/completions'
const request = {
  provider: 'bedrock',
  url: `https://bedrock-runtime.eu-north-1.amazonaws.com${PATH}`,
  headers: { 'content-type': 'application/json', 'user-agent': 'backstop' },
  body: Buffer.from('{"model":"openai.gpt-oss-20b-1:0"}'),
  at,
}

it('the yardstick of these tests agrees with the published vector', () => {
  const authorization =
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
    'SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z', authorization }
  const published = { method: 'POST', path: '/', headers, body: '' }
  expect(signatureOf(published, SECRET)).toBe(statedSignature(published))
})

describe('a request to Bedrock', () => {
  const arrived = (headers: Readonly<Record<string, string>>) => ({
    method: 'POST',
    path: PATH,
    headers: { ...headers, host: new URL(request.url).host },
    body: String(request.body),
  })

  it('bears the signature that AWS computes, for the region of its host', async () => {
    const headers = await createRequestSigner({ region: 'us-east-1', credentials })(request)
    expect(headers['authorization']).toContain(
      'Credential=AKIDEXAMPLE/20150830/eu-north-1/bedrock/aws4_request',
    )
    expect(headers['x-amz-date']).toBe('20150830T123600Z')
    expect(statedSignature(arrived(headers))).toBe(signatureOf(arrived(headers), SECRET))
  })

  it('signs the token of a role, and leaves alone what a proxy may rewrite', async () => {
    const role = { ...credentials, sessionToken: 'token' }
    const headers = await createRequestSigner({ region: 'us-east-1', credentials: role })(request)
    expect(headers['x-amz-security-token']).toBe('token')
    expect(headers['authorization']).toMatch(
      /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/,
    )
    expect(statedSignature(arrived(headers))).toBe(signatureOf(arrived(headers), SECRET))
    expect(headers).toMatchObject(request.headers)
  })

  it('to a host that names no region is signed for our own', async () => {
    const sign = createRequestSigner({ region: 'ap-south-1', credentials })
    const headers = await sign({ ...request, url: `http://127.0.0.1:8080${PATH}` })
    expect(headers['authorization']).toContain('/ap-south-1/bedrock/')
  })
})

test.each([
  ['to another provider', { provider: 'groq' }, credentials],
  ['without credentials', {}, null],
])('a request %s stays as it is', async (_, changes, identity) => {
  const sign = createRequestSigner({ region: 'us-east-1', credentials: identity })
  expect(await sign({ ...request, ...changes })).toBe(request.headers)
})
