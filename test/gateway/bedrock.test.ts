import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { signatureOf, statedSignature } from '../support/signature-of.ts'
import { startGateway } from '../support/start-gateway.ts'

const ROLE = {
  AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'role-secret',
  AWS_SESSION_TOKEN: 'role-token',
  AWS_REGION: 'eu-central-1',
}
const reachedAt = (baseUrl: string) => ({
  providers: { bedrock: { baseUrl } },
  models: { chat: { tiers: [['groq/llama-3.1-8b-instant'], ['bedrock/openai.gpt-oss-20b-1:0']] } },
})

describe('Bedrock as the last tier', () => {
  it('answers before any key has been set, with a request that the role has signed', async () => {
    await using upstream = await startUpstream([chatStream(['all ', 'well'])])
    await using gateway = await startGateway(reachedAt(upstream.url), ROLE)
    const answer = await ask(gateway)
    expect(answer.content).toBe('all well')
    expect(answer.headers.get('x-backstop-served-by')).toBe('bedrock/openai.gpt-oss-20b-1:0')
    expect(answer.headers.get('x-backstop-skipped')).toContain('groq/llama-3.1-8b-instant;no_key')
    const [request] = upstream.requests
    if (!request) return expect.fail('nobody asked')
    const { method, path, headers, text } = request
    const arrived = { method, path, headers, body: text }
    expect(headers['authorization']).toContain('ASIAEXAMPLE/')
    expect(headers['x-amz-security-token']).toBe('role-token')
    expect(statedSignature(arrived)).toBe(signatureOf(arrived, 'role-secret'))
  })

  it('is left out where there is neither a key nor a role', async () => {
    await using upstream = await startUpstream([chatStream(['never'])])
    await using gateway = await startGateway(reachedAt(upstream.url))
    expect((await ask(gateway)).status).toBe(503)
    expect(upstream.calls()).toBe(0)
  })

  it('takes a key of its own instead, where one is set', async () => {
    await using upstream = await startUpstream([chatStream(['all ', 'well'])])
    await using gateway = await startGateway(reachedAt(upstream.url), { ...ROLE, BEDROCK_API_KEY: 'ABSK-1' })
    await ask(gateway)
    expect(upstream.requests[0]?.headers['authorization']).toBe('Bearer ABSK-1')
  })

  it('refuses in the words of AWS, which are understood', async () => {
    const refusal = errorAnswer(
      403,
      { message: "You don't have access to the model with the specified model ID." },
      { 'x-amzn-errortype': 'AccessDeniedException' },
    )
    await using upstream = await startUpstream([refusal])
    await using gateway = await startGateway(reachedAt(upstream.url), ROLE)
    const answer = await ask(gateway)
    expect(answer.headers.get('x-backstop-chain')).toMatch(/bedrock\/openai\.gpt-oss-20b-1:0;permission;403/)
  })
})
