import { describe, expect, it, test } from 'vitest'
import { RESPONSE_HEADERS } from '../../lambdas/contract.ts'
import { classify } from '../../lambdas/providers/classify.ts'
import { endAfterEach } from '../fleet/instances/end-after-each.ts'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway, type TestGateway } from '../support/start-gateway.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

const open = endAfterEach()

const overloaded = errorAnswer(503, { message: 'The engine is currently overloaded.', code: 'overloaded' })
const failing = errorAnswer(500, { message: 'The server had an error while processing your request.' })
const limited = (seconds: string) =>
  errorAnswer(429, { message: 'Rate limit reached', type: 'rate_limit_error' }, { 'retry-after': seconds })
/** On loopback a cooldown is cut short where nothing else is left, which is not what is looked at here. */
const SETTINGS = { local_cooldown_max_ms: 3_600_000, retry_base_ms: 0 }
const MOST_ATTEMPTS = 4

const baseUrl = (gateway: TestGateway): string => `${gateway.url}/v1`

/** A Backstop over these upstreams, a tier each, and one above it that knows nobody else. */
async function nested(scripts: readonly UpstreamScript[], innerSettings: Record<string, number> = {}) {
  const upstreams = await Promise.all(
    scripts.map(async script => open(await startUpstream(script, { clock }))),
  )
  const urls = Object.fromEntries(upstreams.map(({ url }, position) => [`up${position}`, url]))
  const tiers = Object.keys(urls).map(provider => [`${provider}/m`])
  const inner = open(
    await startGateway(configOf(urls, tiers, { ...SETTINGS, ...innerSettings }), {}, { clock }),
  )
  const outer = open(
    await startGateway(configOf({ inner: baseUrl(inner) }, [['inner/chat']], SETTINGS), {}, { clock }),
  )
  const callsUpstream = (): number => upstreams.reduce((sum, upstream) => sum + upstream.calls(), 0)
  return { inner, outer, callsUpstream }
}

describe('a Backstop behind a Backstop does not multiply one failure', () => {
  const troubles: [string, UpstreamScript[]][] = [
    ['one overloaded upstream', [[overloaded]]],
    ['one that fails', [[failing]]],
    ['two that fail', [[failing], [overloaded]]],
    ['six that fail', Array.from({ length: 6 }, () => [failing])],
    ['one that resets', [[{ fault: 'reset-before-headers' }]]],
    ['one whose limit is far away', [[limited('30')]]],
    ['one whose limit is near', [[limited('1')]]],
  ]
  test.each(troubles)('with %s, streamed or not', async (_, scripts) => {
    for (const stream of [true, false]) {
      const { inner, outer, callsUpstream } = await nested(scripts)
      const answer = await ask(outer, { stream })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.headers.get('x-backstop-attempts')).toBe('1')
      await expect.poll(() => inner.completed.length).toBe(1)
      expect(callsUpstream()).toBeLessThanOrEqual(MOST_ATTEMPTS)
    }
  })

  it('nor with several keys for it', async () => {
    const upstream = open(await startUpstream([limited('30')]))
    const inner = open(
      await startGateway(configOf({ up: upstream.url }, [['up/m']], SETTINGS), {
        BACKSTOP_CLIENT_KEYS: 'one,two,three',
      }),
    )
    const outer = open(
      await startGateway(
        {
          providers: { inner: { baseUrl: baseUrl(inner) } },
          models: { chat: { tiers: [['inner/chat']] } },
          settings: SETTINGS,
        },
        { INNER_API_KEY: 'one,two,three' },
      ),
    )
    for (const _ of [1, 2]) expect((await ask(outer)).status).toBe(429)
    expect(inner.completed).toHaveLength(1)
    expect(upstream.calls()).toBe(1)
  })

  it('and each of two is asked once, for at most four attempts of its own', async () => {
    const scripts: UpstreamScript[] = [[failing], [overloaded]]
    const [first, second] = [await nested(scripts), await nested(scripts)]
    const urls = { first: baseUrl(first.inner), second: baseUrl(second.inner) }
    const outer = open(await startGateway(configOf(urls, [['first/chat', 'second/chat']], SETTINGS)))
    const answer = await ask(outer)
    expect(answer.headers.get('x-backstop-attempts')).toBe('2')
    for (const { callsUpstream } of [first, second]) {
      expect(callsUpstream()).toBeLessThanOrEqual(MOST_ATTEMPTS)
    }
  })

  it('though a client key that the inner one refuses is rotated as ever', async () => {
    const upstream = open(await startUpstream([chatStream(['let in'])]))
    const inner = open(
      await startGateway(configOf({ up: upstream.url }, [['up/m']]), { BACKSTOP_CLIENT_KEYS: 'right' }),
    )
    const outer = open(
      await startGateway(
        { providers: { inner: { baseUrl: baseUrl(inner) } }, models: { chat: { tiers: [['inner/chat']] } } },
        { INNER_API_KEY: 'wrong,right' },
      ),
    )
    expect((await ask(outer)).content).toBe('let in')
  })
})

describe("the outer one believes the inner one's Retry-After", () => {
  const statements: [string, UpstreamScript, number][] = [
    ['of a rate limit', [limited('30')], 429],
    ['of an outage', [failing], 502],
  ]
  test.each(statements)('%s: it passes it on, and asks nobody before then', async (_, script, status) => {
    const { inner, outer, callsUpstream } = await nested([script])
    const first = await ask(outer)
    expect(first.status).toBe(status)
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(20)
    expect(first.headers.get('x-should-retry')).toBe('false')
    const calls = callsUpstream()

    await expect
      .poll(async () => (await ask(outer)).headers.get('x-backstop-skipped'))
      .toMatch(/^inner\/chat;cooldown;(?:2\d|30)$/)
    const second = await ask(outer)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(20)
    expect(second.headers.get('x-backstop-attempts')).toBe('0')
    expect(callsUpstream()).toBe(calls)
    expect(inner.completed).toHaveLength(1)
  })

  it('and waits for a short one, instead of asking again at once', async () => {
    const { outer, callsUpstream } = await nested([[limited('1'), chatStream(['later'])]], {
      retry_patience_ms: 0,
    })
    const refused = await ask(outer)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    const startedAt = clock.now()
    expect((await ask(outer)).content).toBe('later')
    expect(clock.now() - startedAt).toBe(1_000)
    expect(callsUpstream()).toBe(2)
  })

  it('for that alias alone', async () => {
    const upstream = open(await startUpstream({ ill: [failing], well: [chatStream(['well'])] }))
    const inner = open(
      await startGateway({
        providers: { up: { baseUrl: upstream.url, key: false } },
        models: { ill: { tiers: [['up/ill']] }, well: { tiers: [['up/well']] } },
        settings: SETTINGS,
      }),
    )
    const outer = open(
      await startGateway({
        providers: { inner: { baseUrl: baseUrl(inner), key: false } },
        models: { ill: { tiers: [['inner/ill']] }, well: { tiers: [['inner/well']] } },
        settings: SETTINGS,
      }),
    )
    expect((await ask(outer, { model: 'ill' })).status).toBe(502)
    await expect.poll(async () => (await ask(outer, { model: 'ill' })).status).toBe(503)
    expect((await ask(outer, { model: 'well' })).content).toBe('well')
  })
})

test('a failure is known to be relayed by the header that every chat answer of a Backstop carries', () => {
  const observation = {
    provider: 'inner',
    status: 502,
    body: '{"error":{"message":"No endpoint answered."}}',
    networkError: null,
    inStream: false,
    now: 0,
  }
  const relayed = classify({ ...observation, headers: { [RESPONSE_HEADERS.attempts]: '4' } })
  expect(relayed.relayed).toBe(true)
  expect(classify({ ...observation, headers: {} }).relayed).toBeUndefined()
})
