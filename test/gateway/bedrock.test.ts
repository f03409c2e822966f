import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { signatureOf, statedSignature } from '../support/signature-of.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { ENCODINGS, solid, standsIn, worth } from './secrecy/encodings.ts'
import { startGateway } from '../support/start-gateway.ts'

const ROLE = {
  AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'role-secret',
  AWS_SESSION_TOKEN: 'role-token',
  AWS_REGION: 'eu-central-1',
}
const SECRET = 'wJa2rXUtn9EMI/K7MDENG+bPxRf1CYk8QmLz0TvH'
const TOKEN =
  'IQoJb3JpZ2luX2VjEJr//////////wEaDGV1LWNlbnRyYWwtMSJHMEUCIQDk3T+8vQ0h7mZ5bR/x2LwY9sN4pUaGfJqKd6eHtC1oVwIgXzB7/8nM+aS3yP='
const MISMATCH =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key ' +
  "and signing method.\n\nThe Canonical String for this request should have been\n'POST\n/v1/chat/completions\n\n" +
  'host:bedrock-runtime.eu-central-1.amazonaws.com\nx-amz-security-token:'
const reachedAt = (baseUrl: string, id = 'bedrock') => ({
  providers: { [id]: { baseUrl, ...(id !== 'bedrock' && { like: 'bedrock' }) } },
  models: { chat: { tiers: [['groq/llama-3.1-8b-instant'], [`${id}/openai.gpt-oss-20b-1:0`]] } },
})

describe('Bedrock as the last tier', () => {
  it.each(['bedrock', 'west'])(
    'answers as %s before any key has been set, with a request that the role has signed',
    async id => {
      await using upstream = await startUpstream([chatStream(['all ', 'well'])])
      await using gateway = await startGateway(reachedAt(upstream.url, id), ROLE)
      const answer = await ask(gateway)
      expect(answer.content).toBe('all well')
      expect(answer.headers.get('x-backstop-served-by')).toBe(`${id}/openai.gpt-oss-20b-1:0`)
      expect(answer.headers.get('x-backstop-skipped')).toContain('groq/llama-3.1-8b-instant;no_key')
      const [request] = upstream.requests
      if (!request) return expect.fail('nobody asked')
      const { method, path, headers, text } = request
      const arrived = { method, path, headers, body: text }
      expect(headers['authorization']).toContain('ASIAEXAMPLE/')
      expect(headers['x-amz-security-token']).toBe('role-token')
      expect(statedSignature(arrived)).toBe(signatureOf(arrived, 'role-secret'))
    },
  )

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

  it.each(Object.keys(ENCODINGS))('shows nobody what it signs with, repeated %s', async name => {
    const role = { ...ROLE, AWS_SECRET_ACCESS_KEY: SECRET, AWS_SESSION_TOKEN: TOKEN }
    const encode = ENCODINGS[name] ?? String
    const echoes = [encode(TOKEN), encode(SECRET)]
    const message = `${MISMATCH}${echoes[0]}\n\nhost;x-amz-date;x-amz-security-token', and the key is ${echoes[1]}.`
    const refusal = errorAnswer(403, { message }, { 'x-amzn-errortype': 'InvalidSignatureException' })
    await using upstream = await startUpstream([refusal])
    const store = createMemoryStore(systemClock)
    await using gateway = await startGateway(reachedAt(upstream.url), role, { store })
    const answer = await ask(gateway)
    await gateway.settled()
    const { headers } = answer
    const seen = solid(JSON.stringify([answer, [...headers], gateway.lines, store.items()]))
    expect(upstream.requests[0]?.headers['x-amz-security-token']).toBe(TOKEN)
    expect(seen).toContain('therequestsignaturewecalculated')
    for (const echo of echoes) expect(standsIn(seen, echo, worth(encode, 12))).toBeNull()
  })
})
