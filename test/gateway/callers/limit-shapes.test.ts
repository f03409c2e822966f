import { describe, expect, it, test } from 'vitest'
import { formatReset } from '../../../lambdas/http/replies/limit-headers.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { chatStream, tokens } from '../../support/upstreams/chat-bodies.ts'
import { as } from './named-callers.ts'
import { startLimited } from './start-limited.ts'

const QUESTION = [{ role: 'user', content: 'Hi' }]

const SURFACES: readonly [string, object, object][] = [
  [
    '/v1/chat/completions',
    { model: 'chat', messages: QUESTION },
    { error: { type: 'rate_limit_error', code: 'client_limit_reached', param: null, attempts: [] } },
  ],
  [
    '/v1/responses',
    { model: 'chat', input: 'Hi' },
    { error: { type: 'rate_limit_error', code: 'client_limit_reached' } },
  ],
  [
    '/v1/messages',
    { model: 'chat', max_tokens: 5, messages: QUESTION },
    {
      type: 'error',
      error: { type: 'rate_limit_error', code: 'client_limit_reached' },
      request_id: expect.any(String),
    },
  ],
  [
    '/v1/embeddings',
    { model: 'vectors', input: 'Hi' },
    { error: { type: 'rate_limit_error', code: 'client_limit_reached' } },
  ],
]

const post = (url: string, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('app') },
    body: JSON.stringify(body),
  })

const limitHeadersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit/.test(name)))

describe('beyond a limit', () => {
  test.each(SURFACES)('%s answers 429 in its own shape', async (path, body, expected) => {
    await using world = await startLimited({ app: { requestsPerMinute: 1 } })
    await post(world.gateway.url, path, body)
    const refused = await post(world.gateway.url, path, body)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject(expected)
    expect([refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
      '40',
      'false',
    ])
    expect(limitHeadersOf(refused)).toMatchObject({
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '40s',
    })
  })

  test.each(SURFACES)('%s counts what it has used', async (path, body) => {
    await using world = await startLimited({ app: { tokensPerDay: 100_000 } })
    expect((await post(world.gateway.url, path, body)).status).toBe(200)
    await world.gateway.settled()
    const counters = world.store.usageAt({ pk: 'usage#client#app', sk: 'limits' })
    const { usage } = world.gateway.completed[0] ?? {}
    expect(usage?.totalTokens).toBeGreaterThan(0)
    expect(Object.entries(counters).filter(([name]) => name.startsWith('td'))).toEqual([
      [expect.any(String), (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0)],
    ])
  })

  it('Codex hears of spent money as of a spent quota, at which it stops', async () => {
    await using world = await startLimited({ app: { dollarsPerMonth: 0.0001 } })
    const body = { model: 'chat', input: 'Hi', max_output_tokens: 16 }
    await post(world.gateway.url, '/v1/responses', body)
    const refused = await fetch(`${world.gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'codex_cli_rs/0.1', ...as('app') },
      body: JSON.stringify(body),
    })
    expect(await refused.json()).toMatchObject({
      error: { code: 'insufficient_quota', reason: 'client_budget_spent' },
    })
  })
})

describe('answers tell what is left', () => {
  const LIMITS = { requestsPerMinute: 100, requestsPerDay: 10, tokensPerMinute: 5_000 }

  it.each([false, true])('as OpenAI does, streamed: %s', async stream => {
    await using world = await startLimited({ app: LIMITS }, [chatStream(tokens(2))])
    const first = await post(world.gateway.url, '/v1/chat/completions', {
      model: 'chat',
      messages: QUESTION,
      max_tokens: 10,
      stream,
    })
    expect(limitHeadersOf(first)).toEqual({
      // Of two windows, the one that has the smaller share left.
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': '9h46m40s',
      'x-ratelimit-limit-tokens': '5000',
      'x-ratelimit-remaining-tokens': expect.stringMatching(/^49[789]\d$/),
      'x-ratelimit-reset-tokens': '40s',
    })
  })

  it('as Anthropic does too, where its API is spoken', async () => {
    await using world = await startLimited({ app: LIMITS })
    const body = { model: 'chat', max_tokens: 5, messages: QUESTION }
    expect(limitHeadersOf(await post(world.gateway.url, '/v1/messages', body))).toMatchObject({
      'anthropic-ratelimit-requests-limit': '10',
      'anthropic-ratelimit-requests-remaining': '9',
      'anthropic-ratelimit-requests-reset': '2026-09-22T00:00:00.000Z',
      'anthropic-ratelimit-tokens-limit': '5000',
      'anthropic-ratelimit-tokens-reset': '2026-09-21T14:14:00.000Z',
      'x-ratelimit-limit-requests': '10',
    })
  })

  it('and tell nothing where nothing is limited', async () => {
    await using world = await startLimited({ app: { concurrency: 100 } })
    const answer = await post(world.gateway.url, '/v1/chat/completions', {
      model: 'chat',
      messages: QUESTION,
    })
    expect([answer.status, limitHeadersOf(answer)]).toEqual([200, {}])
  })

  test.each([
    [0, '0ms'],
    [17.2, '18ms'],
    [1_000, '1s'],
    [59_001, '1m0s'],
    [90_000, '1m30s'],
    [3_600_000, '1h0m0s'],
    [86_400_000, '24h0m0s'],
  ])('%d ms are written as %s', (ms, text) => {
    expect(formatReset(ms)).toBe(text)
  })
})

describe('what limits cost', () => {
  it('is nothing for callers that have none', async () => {
    await using world = await startLimited({ app: { requestsPerMinute: 5 } })
    for (let sent = 0; sent < 5; sent += 1) await world.ask({}, 'other')
    await world.gateway.settled()
    expect(world.store.usageAddresses().filter(({ pk }) => pk.startsWith('usage#client#'))).toEqual([])
  })

  it('is two writes a request, and no wait while much is left', async () => {
    await using world = await startLimited({ app: { requestsPerMinute: 10_000, tokensPerDay: 10_000_000 } })
    await world.ask()
    await world.gateway.settled()
    // From here on every answer of the table takes half a second.
    world.store.fail('slow')
    await world.ask()
    expect(world.gateway.completed.at(-1)?.overheadMs).toBeLessThan(100)
    world.store.fail(null)
    await world.gateway.settled()
    const before = world.store.calls('addUsage')
    for (let sent = 0; sent < 10; sent += 1) await world.ask()
    await world.gateway.settled()
    expect(world.store.calls('addUsage') - before).toBeLessThanOrEqual(2 * 10 + 1)
  })

  it.each(['refuse', 'slow', 'throttle'] as const)(
    'is at most one short wait where the table is away (%s), and nobody is refused for that',
    async mode => {
      const world = createWorld()
      await using away = await startLimited(
        { app: { requestsPerMinute: 8, concurrency: 8 } },
        undefined,
        world,
      )
      world.store.fail(mode)
      const waits = []
      for (let sent = 0; sent < 8; sent += 1) {
        expect((await away.ask()).status).toBe(200)
        await away.gateway.settled()
        waits.push(away.gateway.completed.at(-1)?.overheadMs ?? 0)
      }
      expect(Math.max(...waits)).toBeLessThanOrEqual(300 + 500)
      expect(waits.slice(1).every(wait => wait <= 60)).toBe(true)
      // What it has counted itself is true all the same.
      expect((await away.ask()).status).toBe(429)
    },
  )
})
