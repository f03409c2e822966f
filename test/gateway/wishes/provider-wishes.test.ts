import { describe, expect, it, test } from 'vitest'
import { parseJsonObject } from '../../../lambdas/core/json.ts'
import { ask } from '../../support/ask.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'

const chain = (entry: unknown, more: object = {}) => ({ models: { chat: { tiers: [[entry]], ...more } } })

describe('a second account of a provider', () => {
  it('is called as the first one, with a key of its own', async () => {
    await using upstream = await startUpstream(() => chatStream(['Hello']))
    const config = {
      providers: { 'mistral-eu': { like: 'mistral', baseUrl: upstream.url } },
      ...chain('mistral-eu/m'),
    }
    await using gateway = await startGateway(config, { MISTRAL_EU_API_KEY: 'eu-key' })
    const history = [
      { role: 'user', content: 'Look it up.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_far_too_long_for_it', type: 'function', function: { name: 'f', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_far_too_long_for_it', content: 'found' },
    ]
    expect((await ask(gateway, { messages: history })).content).toBe('Hello')
    const [sent] = upstream.requests
    expect(sent?.headers.authorization).toBe('Bearer eu-key')
    // Mistral takes ids of nine letters and digits alone.
    expect(JSON.stringify(sent?.body)).toMatch(/"tool_call_id":"[A-Za-z0-9]{9}"/)
  })

  it('fails in the words of the first one', async () => {
    const answer = errorAnswer(429, { message: 'x', code: '1113' })
    await using upstream = await startUpstream([answer])
    const kindOf = async (like: object): Promise<string | undefined> => {
      const config = {
        providers: { other: { ...like, baseUrl: upstream.url, key: false } },
        ...chain('other/m'),
      }
      await using gateway = await startGateway(config)
      await ask(gateway)
      return gateway.completed[0]?.attempts[0]?.outcome
    }
    expect(await kindOf({ like: 'zhipu' })).toBe('quota_exhausted')
    expect(await kindOf({})).toBe('rate_limit')
  })
})

describe('what an owner adds to each call', () => {
  const added = {
    headers: { 'X-Title': 'Backstop', 'http-referer': 'https://example.com' },
    body: { top_k: 40, provider: { order: ['a'] } },
  }

  it('is sent, and the endpoint wins over the provider, and the client over both', async () => {
    await using upstream = await startUpstream(() => chatStream(['Hello']))
    const entry = { endpoint: 'office/m', headers: { 'x-title': 'Ours' }, body: { top_k: 20, seed: 7 } }
    const office = { baseUrl: upstream.url, key: false, ...added }
    await using gateway = await startGateway({ providers: { office }, ...chain(entry) })
    await ask(gateway, { seed: 1 })
    const [sent] = upstream.requests
    expect(sent?.headers).toMatchObject({ 'x-title': 'Ours', 'http-referer': 'https://example.com' })
    expect(sent?.body).toMatchObject({ model: 'm', top_k: 20, seed: 1, provider: { order: ['a'] } })
  })

  it('is sent in the client’s own API too, every other byte as it came', async () => {
    const answer = {
      id: 'r',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
    }
    await using upstream = await startUpstream(() => ({ status: 200, body: answer }))
    const office = { baseUrl: upstream.url, key: false, wires: { responses: {} }, ...added }
    await using gateway = await startGateway({ providers: { office }, ...chain('office/m') })
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"chat", "input":"Hi","top_k":5}',
    })
    expect(response.status).toBe(200)
    const [sent] = upstream.requests
    expect(sent?.headers['x-title']).toBe('Backstop')
    expect(sent?.body).toMatchObject({ model: 'm', input: 'Hi', top_k: 5, provider: { order: ['a'] } })
  })

  it('blames the endpoint, not the client, where the host refuses it', async () => {
    await using upstream = await startUpstream([
      errorAnswer(400, { message: 'Unsupported parameter: top_k' }),
      chatStream(['Hello']),
    ])
    const office = { baseUrl: upstream.url, key: false, body: { top_k: 40 } }
    await using gateway = await startGateway({ providers: { office }, ...chain('office/m') })
    expect((await ask(gateway)).status).not.toBe(500)
    expect(gateway.handlerErrors).toEqual([])
  })
})

test('an endpoint that is never probed stays what users find it to be', async () => {
  const dead = errorAnswer(404, { message: 'The model does not exist', code: 'model_not_found' })
  await using upstream = await startUpstream(() => dead)
  const entry = { endpoint: 'office/m', probe: false }
  const config = { providers: { office: { baseUrl: upstream.url, key: false } }, ...chain(entry) }
  await using gateway = await startGateway(config)
  await ask(gateway)
  await ask(gateway)
  const calls = upstream.calls()
  const report = await gateway.probe(true)
  expect(report.probes).toEqual([])
  expect(upstream.calls()).toBe(calls)
})

test('an endpoint that is never probed is not asked what it serves either, when another one fails', async () => {
  await using upstream = await startUpstream(() => chatStream(['Hello']))
  const config = {
    providers: {
      dead: { baseUrl: `http://127.0.0.1:${await closedPort()}/v1`, key: false },
      office: { baseUrl: upstream.url, key: false },
    },
    models: { chat: { tiers: [['dead/m'], [{ endpoint: 'office/m', probe: false }]] } },
  }
  await using gateway = await startGateway(config)
  await ask(gateway)
  await ask(gateway)
  await gateway.settled()
  const before = upstream.calls()
  expect((await gateway.probe(true)).probes.length).toBeGreaterThan(0)
  expect(upstream.calls()).toBe(before)
})

describe('a chain that ends in another', () => {
  const models = {
    house: { tiers: [['a/m'], ['b/m']] },
    premium: { tiers: [['c/m', 'a/m'], { alias: 'house' }] },
  }

  it('goes on where that one goes, with each endpoint once', async () => {
    const down = () => errorAnswer(503, { message: 'overloaded' })
    await using a = await startUpstream(down)
    await using b = await startUpstream(() => chatStream(['from b']))
    await using c = await startUpstream(down)
    const urls = { a: a.url, b: b.url, c: c.url }
    const providers = Object.fromEntries(
      Object.entries(urls).map(([id, baseUrl]) => [id, { baseUrl, key: false }]),
    )
    await using gateway = await startGateway({ providers, models })
    const answer = await ask(gateway, { model: 'premium' })
    expect(answer.content).toBe('from b')
    const served = answer.headers
      .get('x-backstop-chain')
      ?.split(' > ')
      .map(hop => hop.split(';')[0])
    // Each may be called once more after a wait.
    expect([...new Set(served)]).toEqual(['c/m', 'a/m', 'b/m'])
  })
})

describe('a default model', () => {
  it('answers names that are none, and no other', async () => {
    await using upstream = await startUpstream(() => chatStream(['Hello']))
    const config = {
      providers: { office: { baseUrl: upstream.url, key: false } },
      ...chain('office/m'),
      default: 'chat',
    }
    await using gateway = await startGateway(config)
    expect((await ask(gateway, { model: 'gpt-nobody-knows' })).content).toBe('Hello')
    expect(gateway.completed[0]).toMatchObject({ alias: 'gpt-nobody-knows', servedBy: 'office/m' })
    const listed = parseJsonObject(await (await fetch(`${gateway.url}/v1/models`)).text())
    expect(listed?.data).toMatchObject([{ id: 'chat' }])
  })

  it('of chats answers no embeddings: the name is unknown there, as without it', async () => {
    await using upstream = await startUpstream(() => chatStream(['Hello']))
    const config = {
      providers: { office: { baseUrl: upstream.url, key: false } },
      ...chain('office/m'),
      default: 'chat',
    }
    await using gateway = await startGateway(config)
    const response = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'Hi' }),
    })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain("'text-embedding-3-small' does not exist here")
    expect(upstream.calls()).toBe(0)
  })

  it('is off unless it is set', async () => {
    await using upstream = await startUpstream(() => chatStream(['Hello']))
    const config = { providers: { office: { baseUrl: upstream.url, key: false } }, ...chain('office/m') }
    await using gateway = await startGateway(config)
    expect(await ask(gateway, { model: 'gpt-nobody-knows' })).toMatchObject({ status: 404 })
  })
})
