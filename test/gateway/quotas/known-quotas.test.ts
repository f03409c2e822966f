import { describe, expect, it } from 'vitest'
import { quotaKey } from '../../../lambdas/core/item-keys.ts'
import { ask } from '../../support/ask.ts'
import { createWorld, startGateway } from '../../support/start-gateway.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { startUp } from './start-limited-up.ts'

const open = endAfterEach()
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const keysOf = (upstream: ScriptedUpstream): (string | undefined)[] =>
  upstream.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''))

describe('a quota that is spent', () => {
  it('skips its endpoint with the reason and the seconds until it returns', async () => {
    const { up, start } = await startUp({ requestsPerMinute: 2 }, { tiers: [['up/m'], ['other/m']] })
    const gateway = await start()
    const answers = [await ask(gateway), await ask(gateway), await ask(gateway)]
    expect(answers.map(({ content }) => content)).toEqual(['here', 'here', 'there'])
    expect(answers[2]?.headers.get('x-backstop-skipped')).toMatch(/^up\/m;quota;(?:59|60|61|62)$/)
    expect(up.calls()).toBe(2)
  })

  it('answers 429 with Retry-After where nothing else is left, and returns', async () => {
    const { clock, start } = await startUp({ requestsPerMinute: 1 })
    const gateway = await start()
    await ask(gateway)
    const refused = await ask(gateway)
    expect([refused.status, refused.error?.code]).toEqual([429, 'rate_limit_exceeded'])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(55)
    clock.pass(seconds * 1_000)
    expect((await ask(gateway)).status).toBe(200)
  })

  it('is spent for a cold instance too', async () => {
    const { start } = await startUp({ requestsPerDay: 2 })
    const first = await start()
    await ask(first)
    await ask(first)
    await first.settled()
    expect((await ask(await start())).status).toBe(429)
  })

  it('of a minute of tokens counts what answers have used', async () => {
    const { start, store } = await startUp({ tokensPerMinute: 1_500 })
    const gateway = await start()
    expect((await ask(gateway, { max_tokens: 1_000 })).status).toBe(200)
    await gateway.settled()
    // The answer of six tokens has given back what was expected of it.
    expect((await ask(gateway, { max_tokens: 1_000 })).status).toBe(200)
    await gateway.settled()
    expect(store.quotaAt(quotaKey('up', null, null))['tm_n']).toBe(12)
  })

  it('of one endpoint leaves the others of its provider alone', async () => {
    const tiers = [[{ endpoint: 'up/m', quotas: { requestsPerMinute: 1 } }], ['up/n']]
    const { start } = await startUp({}, { tiers: tiers as string[][] })
    const gateway = await start()
    const answers = [await ask(gateway), await ask(gateway)]
    expect(answers.map(({ headers }) => headers.get('x-backstop-served-by'))).toEqual(['up/m', 'up/n'])
  })
})

describe('several keys', () => {
  it('are used by what is left of them, and all of it', async () => {
    const { up, start } = await startUp({ requestsPerMinute: 3 }, { keyed: true })
    const gateway = await start({ UP_API_KEY: 'sk-one-111111,sk-two-222222' })
    const statuses: number[] = []
    for (let count = 0; count < 7; count += 1) statuses.push((await ask(gateway)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
    const keys = keysOf(up)
    expect(keys.slice(0, 4)).toEqual(['sk-one-111111', 'sk-two-222222', 'sk-one-111111', 'sk-two-222222'])
  })

  it('go on where one is refused, which is told as such', async () => {
    const { clock } = createWorld()
    const up = open(
      await startUpstream(
        ({ headers }) =>
          headers.authorization === 'Bearer sk-bad-000000'
            ? errorAnswer(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' })
            : chatStream(['here']),
        { clock },
      ),
    )
    const configuration = {
      providers: { up: { baseUrl: up.url, quotas: { requestsPerMinute: 100 } } },
      models: { chat: { tiers: [['up/m']] } },
    }
    const gateway = open(
      await startGateway(configuration, { UP_API_KEY: 'sk-bad-000000,sk-good-11111' }, { clock }),
    )
    for (let count = 0; count < 4; count += 1) expect((await ask(gateway)).content).toBe('here')
    expect(keysOf(up).filter(key => key === 'sk-bad-000000')).toHaveLength(1)
    expect(gateway.completed[0]?.attempts.map(({ outcome }) => outcome)).toEqual(['auth', 'ok'])
  })
})

describe('what quotas cost', () => {
  it('is nothing where none is known', async () => {
    const { start, store } = await startUp({})
    const gateway = await start()
    for (let count = 0; count < 5; count += 1) await ask(gateway)
    await gateway.settled()
    expect([store.calls('readQuotas'), store.calls('writeQuota')]).toEqual([0, 0])
  })

  it('is one write a second and no read on the way, far from the limit', async () => {
    const { clock, start, store, up } = await startUp({ requestsPerDay: 1_000_000 })
    const gateway = await start()
    for (let count = 0; count < 40; count += 1) {
      await ask(gateway)
      await gateway.settled()
      clock.pass(250)
    }
    expect(store.calls('writeQuota')).toBeLessThanOrEqual(11)
    clock.pass(1_000)
    await ask(gateway)
    await gateway.settled()
    expect(store.quotaAt(quotaKey('up', null, null))['rd_n']).toBe(up.calls())
  })
})

it('a limit of many requests at a time is counted while they run', async () => {
  const { clock, start, store, up } = await startUp({ concurrency: 1_000 })
  const gateway = await start()
  up.play([{ ...chatStream(['here']), headersDelayMs: 5_000 }])
  const asked = ask(gateway)
  await clock.sleep(1_000, new AbortController().signal)
  expect(store.quotaAt(quotaKey('up', null, null))['c_n']).toBe(1)
  await asked
  await gateway.settled()
  expect(store.quotaAt(quotaKey('up', null, null))['c_n']).toBe(0)
})

it('limits of models that the configuration does not name are known to one instance alone', async () => {
  const { start, store, up } = await startUp({})
  const headers = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '2',
    'x-ratelimit-reset-requests': '60s',
  }
  const answer = chatStream(['here'])
  const refusal = errorAnswer(429, { message: 'Rate limit reached.' })
  up.play(({ body }) => (body.model === 'refused' ? refusal : { ...answer, headers }))
  const gateway = await start()
  for (const model of ['up/a', 'up/b', 'up/refused', 'up/a', 'up/a', 'up/a'])
    await ask(gateway, { model, stream: true })
  await gateway.settled()
  const marks = () => store.items().filter(({ kind }) => kind === 'quota')
  expect(marks()).toEqual([])
  expect(store.calls('writeQuota')).toBe(0)
  await ask(gateway)
  await gateway.settled()
  expect(marks()).toHaveLength(1)
})

describe('a lease', () => {
  it('of an instance that died ends by itself', async () => {
    const { clock, start, store, up } = await startUp({ concurrency: 1 })
    const key = quotaKey('up', null, null)
    const lease = Math.floor((clock.now() + MINUTE) / 5_000)
    const add = { [`c${lease}`]: 1, c_n: 1 }
    await store.writeQuota({ key, add, set: {}, remove: [], most: {}, expiresAt: clock.now() + DAY })
    const gateway = await start()
    expect((await ask(gateway)).status).toBe(429)
    clock.pass(70_000)
    expect((await ask(gateway)).status).toBe(200)
    expect(up.calls()).toBe(1)
  })
})

it('what is known of quotas is told with the endpoints', async () => {
  const { start } = await startUp({ requestsPerMinute: 4, concurrency: 2 })
  const gateway = await start()
  await ask(gateway)
  await gateway.settled()
  const { data } = (await (await fetch(`${gateway.url}/v1/endpoints`)).json()) as { data: unknown[] }
  expect(data).toMatchObject([
    {
      usable: true,
      quotas: [
        { key: null, scope: 'key', name: 'requestsPerMinute', limit: 4, left: 3, returns_at: null },
        { key: null, scope: 'key', name: 'concurrency', limit: 2, left: 2, returns_at: null },
      ],
    },
  ])
})

it('pictures of limits that nobody uses are not kept fresh', async () => {
  const tiers = [[{ endpoint: 'up/m', quotas: { requestsPerMinute: 50 } }]]
  const { clock, start, store } = await startUp({}, { tiers: tiers as unknown as string[][] })
  const gateway = await start()
  for (let count = 0; count < 6; count += 1) {
    await ask(gateway, { model: 'chat', max_tokens: 5 })
    await gateway.settled()
    clock.pass(5_000)
  }
  const whileUsed = store.calls('readQuotas')
  expect(whileUsed).toBeGreaterThan(1)
  clock.pass(2 * MINUTE)
  expect((await ask(gateway, { model: 'other/m' })).content).toBe('there')
  await gateway.settled()
  expect(store.calls('readQuotas')).toBe(whileUsed)
})
