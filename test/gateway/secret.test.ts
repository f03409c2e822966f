import { describe, expect, it } from 'vitest'
import { createSecretKeys } from '../../lambdas/keys/secret-keys.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

const SECRET = { defaultClientKey: 'client', providers: { office: 'provider-1' } }

/** A gateway over one upstream, its keys from a secret that the test edits, on a clock that it moves. */
async function secretGateway(
  baseUrl: string,
  { callersVerified = false, secret = JSON.stringify(SECRET), down = false } = {},
) {
  const state = { secret, down, reads: 0, later: 0 }
  const keys = createSecretKeys({
    async readSecret() {
      state.reads += 1
      if (state.down) throw new Error('unreachable')
      return state.secret
    },
    signed: [],
    callersVerified,
    stack: null,
    now: () => Date.now() + state.later,
    log: () => undefined,
  })
  const config = { providers: { office: { baseUrl } }, models: { chat: { tiers: [['office/m']] } } }
  const gateway = await startGateway(config, {}, { keys })
  const post = (key?: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] }),
    })
  return { gateway, state, post }
}

const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { code: unknown } }).error.code

describe('a gateway with the keys of a secret', () => {
  it('lets in whom the secret names, and calls with its provider key', async () => {
    await using upstream = await startUpstream([chatStream(['well'])])
    const { gateway, state, post } = await secretGateway(upstream.url)
    await using _ = gateway
    expect((await post()).status).toBe(401)
    expect(state.reads).toBe(0)
    expect((await post('client')).status).toBe(200)
    expect((await post('stranger')).status).toBe(401)
    expect(upstream.requests[0]?.headers['authorization']).toBe('Bearer provider-1')
    expect(state.reads).toBe(1)
  })

  it('finds the key that replaced a refused one, for the next request', async () => {
    const refusal = errorAnswer(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' })
    await using upstream = await startUpstream(({ headers }) =>
      headers['authorization'] === 'Bearer provider-1' ? refusal : chatStream(['well']),
    )
    const { gateway, state, post } = await secretGateway(upstream.url)
    await using _ = gateway
    await post('nobody')
    state.secret = JSON.stringify({ ...SECRET, providers: { office: 'provider-2' } })
    // The keys are still fresh, and may be read again after a refusal.
    state.later = 31_000
    await post('client')
    expect((await post('client')).status).toBe(200)
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer provider-2')
  })

  it('says so where the secret cannot be read, and asks callers to come again', async () => {
    const { gateway, post } = await secretGateway('http://127.0.0.1:9/v1', { down: true })
    await using _ = gateway
    const refused = await post('client')
    expect(refused.status).toBe(503)
    expect(await codeOf(refused)).toBe('keys_unavailable')
  })

  it('has no provider key where the secret is malformed', async () => {
    const { gateway, post } = await secretGateway('http://127.0.0.1:9/v1', {
      callersVerified: true,
      secret: 'oops',
    })
    await using _ = gateway
    const refused = await post()
    expect(refused.status).toBe(503)
    expect(await codeOf(refused)).toBe('no_provider_key')
  })
})
