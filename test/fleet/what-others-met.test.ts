import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { createTraffic } from '../support/traffic.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startMoodyUpstream } from '../support/upstreams/moody-upstream.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from './instances/end-after-each.ts'

/** What users of other gateways and breakers have reported, played through this one in virtual time. */
const open = endAfterEach()
const SECOND = 1_000
const forever = new AbortController().signal
const failing = errorAnswer(500, { message: 'The server had an error.' })
const SETTINGS = { breaker_min_requests: 1, retry_total_wait_ms: 0, local_cooldown_max_ms: 3_600_000 }

/** A client that leaves after so long. */
async function askBriefly(
  gateway: { url: string },
  clock: ReturnType<typeof createVirtualClock>,
  ms: number,
) {
  const client = new AbortController()
  const asked = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello?' }] }),
    signal: client.signal,
  }).catch(() => undefined)
  await clock.sleep(ms, forever)
  client.abort()
  await asked
}

describe('a trial', () => {
  async function startTripped() {
    const clock = createVirtualClock()
    const upstream = open(await startUpstream([failing], { clock }))
    const gateway = open(
      await startGateway(configOf({ up: upstream.url }, [['up/m']], SETTINGS), {}, { clock }),
    )
    await ask(gateway)
    await gateway.settled()
    clock.pass(60 * SECOND)
    return { clock, upstream, gateway }
  }

  // https://github.com/monix/monix/issues/1080, https://github.com/svroonland/rezilience/pull/521
  it('whose client leaves lets the next request try at once', async () => {
    const { clock, upstream, gateway } = await startTripped()
    upstream.play([{ headersDelayMs: 5 * SECOND, ...chatStream(['late']) }])
    await askBriefly(gateway, clock, SECOND)
    await gateway.settled()
    upstream.play([chatStream(['here'])])
    expect((await ask(gateway)).content).toBe('here')
  })

  // https://github.com/resilience4j/resilience4j/issues/544
  it('that ends in a refusal of the request itself lets the next one try at once', async () => {
    const { upstream, gateway } = await startTripped()
    upstream.play([
      errorAnswer(400, { message: "'messages' must not be empty.", type: 'invalid_request_error' }),
    ])
    expect((await ask(gateway)).status).toBe(400)
    await gateway.settled()
    upstream.play([chatStream(['here'])])
    expect((await ask(gateway)).content).toBe('here')
  })
})

// https://github.com/envoyproxy/envoy/issues/41985
it('clients that give up early bar no endpoint for patient ones', async () => {
  const clock = createVirtualClock()
  const upstream = open(
    await startUpstream([{ headersDelayMs: 5 * SECOND, ...chatStream(['here']) }], { clock }),
  )
  const gateway = open(
    await startGateway(configOf({ up: upstream.url }, [['up/m']], SETTINGS), {}, { clock }),
  )
  for (let count = 0; count < 12; count += 1) await askBriefly(gateway, clock, 2 * SECOND)
  await gateway.settled()
  expect((await ask(gateway)).content).toBe('here')
  expect(gateway.lines.filter(({ event }) => event === 'cooldown' || event === 'breaker-transition')).toEqual(
    [],
  )
})

// https://github.com/Continuum-AI-Corp/OrcaRouter-Lite/issues/121
it('three providers that limit the rate at the same time for minutes are in use again within a last resort', async () => {
  const clock = createVirtualClock()
  const names = ['one', 'two', 'three']
  const upstreams = await Promise.all(names.map(async () => open(await startMoodyUpstream(clock.now))))
  const urls = Object.fromEntries(names.map((name, index) => [name, upstreams[index]?.url ?? '']))
  const gateway = open(
    await startGateway(
      configOf(
        urls,
        names.map(name => [`${name}/m`]),
        { local_cooldown_max_ms: 3_600_000 },
      ),
      {},
      { clock },
    ),
  )
  const limited = { status: 429, body: '{"error":{"message":"Rate limit exceeded."}}' }
  for (const upstream of upstreams) await upstream.turn(limited)
  const traffic = createTraffic(gateway, clock)
  await traffic.flow(300 * SECOND, 2 * SECOND)
  for (const upstream of upstreams) await upstream.turn('well')
  const backAt = clock.now()
  const first = (): number | undefined =>
    traffic.served.find(({ at, answer }) => at >= backAt && answer.content === 'here')?.at
  await traffic.flow(120 * SECOND, 2 * SECOND, { until: () => first() !== undefined })
  await traffic.rest()
  expect((first() ?? Infinity) - backAt).toBeLessThanOrEqual(12 * SECOND)
}, 60_000)

// https://github.com/envoyproxy/envoy/issues/28304
it('all endpoints of a tier that go down at once get no more calls than one of them would', async () => {
  const clock = createVirtualClock()
  const ill = await Promise.all([0, 1, 2].map(async () => open(await startUpstream([failing], { clock }))))
  const well = open(await startUpstream([chatStream(['here'])], { clock }))
  const urls = { a: ill[0]?.url ?? '', b: ill[1]?.url ?? '', c: ill[2]?.url ?? '', well: well.url }
  const gateway = open(await startGateway(configOf(urls, [['a/m', 'b/m', 'c/m'], ['well/m']]), {}, { clock }))
  const traffic = createTraffic(gateway, clock)
  await traffic.flow(60 * SECOND, SECOND)
  await traffic.rest()
  expect(traffic.served.every(({ answer }) => answer.content === 'here')).toBe(true)
  // Three failures, then a trial in a quarter of a minute at most.
  for (const upstream of ill) expect(upstream.calls()).toBeLessThanOrEqual(5 + 4)
}, 60_000)
