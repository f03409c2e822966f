import { describe, expect, it, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { chatCompletion, chatStream, errorAnswer, tokens } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { as } from './named-callers.ts'
import { startLimited } from './start-limited.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The virtual clock starts on the 21st of September, 40 s before the end of a minute. */
const REST_OF_MINUTE = 40
const REST_OF_DAY = 9 * 3_600 + 46 * 60 + REST_OF_MINUTE

/** A prompt of about so many tokens. */
const promptOf = (count: number) => ({ messages: [{ role: 'user', content: 'word'.repeat(count) }] })

describe('a limit', () => {
  test.each<[string, object, number, number]>([
    ['requests a minute', { requestsPerMinute: 3 }, 3, REST_OF_MINUTE],
    ['requests a day', { requestsPerDay: 3 }, 3, REST_OF_DAY],
    ['tokens a minute', { tokensPerMinute: 15 }, 2, REST_OF_MINUTE],
    ['tokens a day', { tokensPerDay: 15 }, 2, REST_OF_DAY],
    ['dollars a month', { dollarsPerMonth: 0.00067 }, 3, 9 * 86_400 + REST_OF_DAY],
  ])('of %s holds to the end of its window, and no longer', async (_, limits, admitted, seconds) => {
    await using world = await startLimited({ app: limits })
    const short = { max_tokens: 1, messages: [{ role: 'user', content: '' }] }
    const answers = []
    for (let sent = 0; sent < admitted + 2; sent += 1) answers.push(await world.ask(short))
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: admitted }, () => 200),
      429,
      429,
    ])
    expect(answers.at(-1)?.headers.get('retry-after')).toBe(String(seconds))
    expect(answers.at(-1)?.headers.get('x-should-retry')).toBe('false')
    expect(world.upstream.calls()).toBe(admitted)
    world.clock.pass(seconds * SECOND - 1)
    expect((await world.ask(short)).status).toBe(429)
    world.clock.pass(1)
    expect((await world.ask(short)).status).toBe(200)
  })

  it('names itself, its client, and when it ends', async () => {
    await using world = await startLimited({ app: { requestsPerMinute: 1 } })
    await world.ask()
    const { error, headers } = await world.ask()
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'client_limit_reached', attempts: [] })
    expect(error?.message).toBe(
      "The client 'app' has used up its limit of 1 requests a minute. Try again in 40 s. " +
        'Whoever runs this gateway sets this in its configuration, under `clients`.',
    )
    expect(headers.get('x-backstop-attempts')).toBe('0')
    await world.gateway.settled()
    expect(world.gateway.lines).toContainEqual(
      expect.objectContaining({ event: 'request-rejected', caller: 'app', code: 'client_limit_reached' }),
    )
  })

  it('of money is another error, as the clients of OpenAI know it', async () => {
    await using world = await startLimited({ app: { dollarsPerMonth: 0.0001 } })
    await world.ask({ max_tokens: 1 })
    expect((await world.ask()).error).toMatchObject({
      type: 'insufficient_quota',
      code: 'client_budget_spent',
    })
  })

  it('names a limit below a cent', async () => {
    await using world = await startLimited({ app: { dollarsPerMonth: 0.0003 } })
    await world.ask({ max_tokens: 1 })
    await world.ask({ max_tokens: 1 })
    expect((await world.ask()).error?.message).toContain('its limit of 0.0003 dollars a month')
  })

  it('lets a client wait by itself where that is short', async () => {
    await using world = await startLimited({ app: { requestsPerMinute: 1 } })
    world.clock.pass(33 * SECOND)
    await world.ask()
    const { headers } = await world.ask()
    expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual(['7', null])
  })

  it('refuses at once, and for ever, a prompt that no window has room for', async () => {
    await using world = await startLimited({ app: { tokensPerMinute: 50 } })
    const { status, headers, error } = await world.ask(promptOf(400))
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([429, null, 'false'])
    expect(error?.message).toContain('Send a shorter one.')
    expect((await world.ask({ ...promptOf(10), max_tokens: 4_000 })).status).toBe(200)
  })

  it('counts every client of the entry for all others by itself', async () => {
    await using world = await startLimited({ app: {}, '*': { requestsPerMinute: 1 } })
    const statusOf = async (name: string): Promise<number> => (await world.ask({}, name)).status
    expect([await statusOf('other'), await statusOf('third'), await statusOf('other')]).toEqual([
      200, 200, 429,
    ])
    expect([await statusOf('app'), await statusOf('app')]).toEqual([200, 200])
  })

  it('is shared by all keys of one name, and by all instances', async () => {
    const world = createWorld()
    await using one = await startLimited({ app: { requestsPerMinute: 4 } }, [chatCompletion('one')], world)
    await using two = await startLimited({ app: { requestsPerMinute: 4 } }, [chatCompletion('two')], world)
    const answers = []
    for (let sent = 0; sent < 4; sent += 1) answers.push(await one.ask(), await two.ask())
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429, 429])
  })

  it('is not counted by a dry run, by a model that is not there, or by counting tokens', async () => {
    await using world = await startLimited({ app: { requestsPerMinute: 1 } })
    await ask(world.gateway, {}, { ...as('app'), 'x-backstop-dry-run': '1' })
    expect((await world.ask({ model: 'chta' })).status).toBe(404)
    const counted = await fetch(`${world.gateway.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('app') },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(counted.status).toBe(200)
    expect([(await world.ask()).status, (await world.ask()).status]).toEqual([200, 429])
  })
})

describe('requests that come at once', () => {
  it('do not overshoot by their prompts', async () => {
    await using world = await startLimited({ app: { tokensPerMinute: 2_000 } }, [
      {
        ...chatCompletion('here', { usage: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 } }),
        headersDelayMs: 500,
      },
    ])
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.ask({ ...promptOf(92), max_tokens: 1 })),
    )
    const admitted = answers.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThanOrEqual(17)
    expect(admitted).toBeLessThanOrEqual(20)
    expect(world.upstream.calls()).toBe(admitted)
  })

  it('are as many as the concurrency, and the next when one has ended', async () => {
    await using world = await startLimited({ app: { concurrency: 4 } }, [
      { ...chatCompletion('here'), headersDelayMs: 2 * SECOND },
    ])
    const many = await Promise.all(Array.from({ length: 50 }, () => world.ask()))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(4)
    const refused = many.find(({ status }) => status === 429)
    expect([refused?.headers.get('retry-after'), refused?.headers.get('x-should-retry')]).toEqual(['1', null])
    expect(refused?.error?.message).toContain('4 requests under way')
    await world.gateway.settled()
    const again = await Promise.all(Array.from({ length: 4 }, () => world.ask()))
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('are freed where an instance is gone, but not where an answer is only long', async () => {
    const world = createWorld()
    const counters = { pk: 'usage#client#app' as const, sk: 'limits' }
    await using one = await startLimited({ app: { concurrency: 1 } }, [chatCompletion('one')], world)
    // What a killed instance leaves behind.
    const bucket = Math.ceil((world.clock.now() + 90 * SECOND) / (30 * SECOND))
    await world.store.addUsage(counters, { [`l${bucket}`]: 1 }, [], world.clock.now() + DAY)
    expect((await one.ask()).status).toBe(429)
    world.clock.pass(2 * MINUTE)
    expect((await one.ask()).status).toBe(200)

    await using slow = await startLimited(
      { app: { concurrency: 1 } },
      [chatStream(tokens(3)), { ...chatStream(tokens(30)), gapMs: 10 * SECOND }],
      world,
    )
    await slow.ask({ stream: true })
    const long = slow.ask({ stream: true })
    await world.clock.sleep(4 * MINUTE, new AbortController().signal)
    expect((await one.ask()).status).toBe(429)
    await long
    await slow.gateway.settled()
    expect((await one.ask()).status).toBe(200)
  })
})

describe('what was reserved', () => {
  it('and could not be written is not given back, but what was used is counted', async () => {
    const late = { ...chatStream(tokens(4)), headersDelayMs: 2 * SECOND }
    await using world = await startLimited({ app: { concurrency: 2, tokensPerDay: 100_000 } }, [late])
    const answer = { stream: true }
    world.store.fail('throttle')
    const during = [world.ask(answer), world.ask(answer)]
    await world.clock.sleep(SECOND, new AbortController().signal)
    world.store.fail(null)
    await Promise.all(during)
    await world.gateway.settled()
    const counters = world.store.usageAt({ pk: 'usage#client#app', sk: 'limits' })
    expect(Object.entries(counters).filter(([name, count]) => name.startsWith('l') && count !== 0)).toEqual(
      [],
    )
    const used = world.gateway.completed.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? NaN), 0)
    expect(Object.entries(counters).find(([name]) => name.startsWith('td'))?.[1]).toBe(used)
    const after = await Promise.all(Array.from({ length: 6 }, () => world.ask(answer)))
    expect(after.filter(({ status }) => status === 200)).toHaveLength(2)
  })

  it('is free again where the table stays away', async () => {
    await using world = await startLimited({ app: { concurrency: 1 } })
    world.store.fail('refuse')
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await world.ask()).status).toBe(200)
      await world.gateway.settled()
    }
  })

  const CASES: [string, UpstreamScript, object][] = [
    ['an answer that fails', [errorAnswer(400, { message: 'Bad request.' })], {}],
    ['an answer that is refused everywhere', [errorAnswer(500, { message: 'Sorry.' })], {}],
    ['a short answer to a long limit', [chatCompletion('here')], { max_tokens: 4_000 }],
  ]
  test.each(CASES)('is given back after %s', async (_, script, body) => {
    const settings = { app: { tokensPerDay: 1_200, requestsPerDay: 1_000 } }
    await using world = await startLimited(settings, script)
    for (let sent = 0; sent < 30; sent += 1) {
      expect((await world.ask(body)).status).not.toBe(429)
      await world.gateway.settled()
      world.clock.pass(20 * SECOND)
    }
  })

  it('becomes what a stream has used, whether it was cut, or its client left, or nobody counted', async () => {
    const cut = chatStream(tokens(40), { finish: null })
    const uncounted = chatStream(tokens(40), { usage: null })
    await using world = await startLimited({ app: { tokensPerDay: 100_000, dollarsPerMonth: 5 } }, [
      cut,
      uncounted,
    ])
    await world.ask({ stream: true })
    await world.ask({ stream: true })
    await world.gateway.settled()
    const counters = world.store.usageAt({ pk: 'usage#client#app', sk: 'limits' })
    const [first, second] = world.gateway.completed
    const prompt = first?.promptTokensEstimate ?? 0
    expect(Object.entries(counters).find(([name]) => name.startsWith('td'))?.[1]).toBe(2 * (prompt + 40))
    const spent = (first?.lostDollars ?? 0) + (second?.dollars ?? 0)
    expect(first?.lostDollars).toBeGreaterThan(0)
    expect(Object.entries(counters).find(([name]) => name.startsWith('dm'))?.[1]).toBeCloseTo(spent, 9)
    expect(Object.entries(counters).filter(([name, count]) => name.startsWith('l') && count !== 0)).toEqual(
      [],
    )
  })
})
