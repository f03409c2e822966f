import { describe, expect, it } from 'vitest'
import { ask } from '../../support/ask.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { seededRandom } from '../../bench/week/random.ts'
import { after, chainOf, replicaStarter, warm } from './hedged-replicas.ts'

type Scripts = Record<string, () => UpstreamAnswer>

const startReplicas = replicaStarter()

describe('a request that is hedged', () => {
  it('has the next replica called beside the first one, and gets whichever output comes first', async () => {
    const now = { a: 100, b: 100 }
    const scripts = { a: () => after(now.a), b: () => after(now.b) }
    const { gateway, upstreams } = await startReplicas(scripts, { hedge: { afterMs: 500 } })
    await warm(gateway)
    now.a = 5_000
    expect(await chainOf(gateway)).toBe('answered true: a/m hedged 600 > b/m ok 100')
    now.b = 9_000
    expect(await chainOf(gateway)).toBe('answered true: b/m hedged 4500 > a/m ok 5000')
    // The one that has lost was let go of, and is at nobody's fault.
    expect(await upstreams['a']?.requests.at(-2)?.ended).toBe('aborted')
    const well = { failures: 0, health: 'healthy' }
    expect(await (await fetch(`${gateway.url}/v1/endpoints`)).json()).toMatchObject({ data: [well, well] })
    const line = gateway.completed.at(-1)
    expect(line).toMatchObject({ servedBy: 'a/m', retryTokens: expect.any(Number) })
    expect(line?.retryTokens).toBeGreaterThan(0)
    expect(line?.lostDollars).toBeGreaterThan(0)
  })

  it('is hedged too where its answer is wanted whole, by the first output and not by the end', async () => {
    const now = { a: 100, b: 100, gapMs: 0 }
    const scripts = {
      a: (): UpstreamAnswer => ({ ...after(now.a), gapMs: now.gapMs }),
      b: () => after(now.b),
    }
    const { gateway } = await startReplicas(scripts, { hedge: { afterMs: 500 } })
    await warm(gateway)
    // It comes slowly, but it comes.
    now.gapMs = 300
    expect(await chainOf(gateway, {})).toMatch(/^answered true: a\/m ok \d+$/)
    now.a = 5_000
    expect(await chainOf(gateway, {})).toMatch(/^answered true: a\/m hedged \d+ > b\/m ok \d+$/)
  })

  it('goes on with the one that is left where the other one fails', async () => {
    const scripts: Scripts = { a: () => after(100), b: () => after(2_000) }
    const { gateway } = await startReplicas(
      { a: () => scripts['a']?.() ?? after(0), b: () => scripts['b']?.() ?? after(0) },
      { hedge: { afterMs: 500 } },
    )
    await warm(gateway)
    scripts['a'] = () => ({ ...errorAnswer(500, {}), headersDelayMs: 1_000 })
    expect(await chainOf(gateway)).toBe('answered true: a/m server_error 1000 > b/m ok 2000')
    scripts['a'] = () => after(3_000)
    scripts['b'] = () => errorAnswer(500, {})
    expect(await chainOf(gateway)).toBe('answered true: b/m server_error 0 > a/m ok 3000')
  })

  it('falls back where both fail', async () => {
    const failing = (): UpstreamAnswer => ({ ...errorAnswer(500, {}), headersDelayMs: 1_000 })
    const now = { script: () => after(100) as UpstreamAnswer }
    const scripts = { a: () => now.script(), b: () => now.script(), c: () => after(100) }
    const { gateway, upstreams } = await startReplicas(scripts, { hedge: { afterMs: 500 } })
    await warm(gateway)
    now.script = failing
    expect(await chainOf(gateway)).toBe(
      'answered true: a/m server_error 1000 > b/m server_error 1000 > c/m ok 100',
    )
    expect(upstreams['c']?.requests.length).toBe(1)
  })
})

describe('no request is hedged', () => {
  const SLOW = { a: () => after(3_000), b: () => after(100) }
  const ONLY_A = 'answered true: a/m ok 3000'
  const TOOL_TURN = [
    { role: 'user', content: 'Send it.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sent' },
  ]

  it('where the alias does not want it', async () => {
    const { gateway } = await startReplicas(SLOW, {})
    await warm(gateway)
    expect(await chainOf(gateway)).toBe(ONLY_A)
  })

  it('more often than one in ten', async () => {
    const { gateway, upstreams } = await startReplicas(SLOW, { hedge: { afterMs: 500 } })
    await warm(gateway, 45)
    expect(upstreams['b']?.requests.length).toBe(4)
  })

  it('in a later round of tools without a session, and in one with a session it is', async () => {
    const { gateway } = await startReplicas(SLOW, { hedge: { afterMs: 500 } }, { tool_retries: 'lenient' })
    await warm(gateway, 9)
    expect(await chainOf(gateway, { stream: true, messages: TOOL_TURN })).toBe(ONLY_A)
    const session = { 'x-backstop-session': 's' }
    expect(await chainOf(gateway, { stream: true, messages: TOOL_TURN }, session)).toMatch(/a\/m hedged/)
  })

  it('where the client wants the first endpoint only, or leaves its retries no tokens', async () => {
    const { gateway } = await startReplicas(SLOW, { hedge: { afterMs: 500 } })
    await warm(gateway, 9)
    for (const headers of [{ 'x-backstop-fallback': 'off' }, { 'x-backstop-retry-token-budget': '0' }]) {
      expect(await chainOf(gateway, { stream: true }, headers)).toBe(ONLY_A)
    }
    expect(await chainOf(gateway)).toMatch(/a\/m hedged/)
  })

  it('while the fleet is degraded', async () => {
    const { gateway, store, clock } = await startReplicas(SLOW, { hedge: { afterMs: 500 } })
    await warm(gateway, 12)
    const mode = { state: 'degraded', since: clock.now(), enoughSince: null }
    store.plant({ pk: 'state', sk: 'mode', kind: 'mode', version: 1, mode })
    clock.pass(2_000)
    expect(await chainOf(gateway)).toBe(ONLY_A)
  })

  it('before its usual time is known, where no time is configured', async () => {
    const { gateway } = await startReplicas(SLOW, { hedge: true })
    await warm(gateway, 20)
    expect(await chainOf(gateway)).toBe(ONLY_A)
  })
})

it('halves the slowest first outputs of three replicas, one of which is slow in 5 % of its calls, at 5 % more tokens at most', async () => {
  const REQUESTS = 400
  async function play(hedge: object): Promise<{ p99: number; calls: number }> {
    const random = seededRandom(11)
    let calledA = 0
    const usual = (): number => 300 + 200 * random()
    const scripts = {
      a: () => after(++calledA % 20 === 0 ? 8_000 : usual()),
      b: () => after(usual()),
      c: () => after(usual()),
    }
    const world = createWorld({ ...createVirtualClock(), random: seededRandom(3) })
    // Each replica gets a third of the requests.
    const spread = { replica: { weight: 1 }, world }
    const { gateway, upstreams, clock } = await startReplicas(scripts, hedge, {}, spread)
    const times: number[] = []
    for (let request = 0; request < REQUESTS; request += 1) {
      await ask(gateway, { stream: true })
      clock.pass(1_000)
    }
    await gateway.settled()
    // The first hundred teach what is usual.
    for (const { firstTokenMs } of gateway.completed.slice(100)) times.push(firstTokenMs ?? Infinity)
    times.sort((one, other) => one - other)
    const calls = Object.values(upstreams).reduce((sum, { requests }) => sum + requests.length, 0)
    return { p99: times[Math.floor(times.length * 0.99)] ?? Infinity, calls }
  }
  const without = await play({})
  const hedged = await play({ hedge: true })
  process.stdout.write(
    `p99 of first output ${without.p99} → ${hedged.p99} ms, calls ${without.calls} → ${hedged.calls}\n`,
  )
  expect(hedged.p99).toBeLessThanOrEqual(without.p99 / 2)
  expect(hedged.calls).toBeLessThanOrEqual(without.calls * 1.05)
})
