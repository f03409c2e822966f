import { expect, describe, it, test } from 'vitest'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { startMoodyUpstream, type Mood } from '../support/upstreams/moody-upstream.ts'
import { createTraffic } from '../support/traffic.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from './instances/end-after-each.ts'

const open = endAfterEach()
const SECOND = 1_000
const FIRST_OUTPUT_MS = 10 * SECOND

const FAULTS: readonly [string, Mood][] = [
  ['refused', 'refused'],
  [
    '404',
    {
      status: 404,
      body: JSON.stringify({ error: { message: 'The model `m` does not exist', code: 'model_not_found' } }),
    },
  ],
  ['503', { status: 503 }],
  ['silent', 'silent'],
]
const OUTAGES_S = [3, 10, 60, 600]
const rows = FAULTS.flatMap(([name, mood]) => OUTAGES_S.map(seconds => [name, seconds, mood] as const))

async function startAlone(settings: Record<string, unknown> = {}) {
  const clock = createVirtualClock()
  const upstream = open(await startMoodyUpstream(clock.now))
  const configuration = configOf({ up: upstream.url }, [['up/m']], {
    local_cooldown_max_ms: 3_600_000,
    ...settings,
  })
  const gateway = open(await startGateway(configuration, {}, { clock }))
  return { clock, upstream, gateway, traffic: createTraffic(gateway, clock) }
}

describe('the only endpoint of an alias', () => {
  test.each(rows)(
    '%s for %d s is used again soon after it is back, and left alone until then',
    async (name, seconds, mood) => {
      const { clock, upstream, traffic } = await startAlone()
      const arrivalMs = seconds > 60 ? 2 * SECOND : SECOND
      await traffic.flow(5 * SECOND, arrivalMs)
      await upstream.turn(mood)
      const downAt = clock.now()
      await traffic.flow(seconds * SECOND, arrivalMs)
      const backAt = clock.now()
      const calls = upstream.calls.filter(({ at }) => at >= downAt).length
      await upstream.turn('well')
      const firstSuccess = (): number | undefined =>
        traffic.served.find(({ at, answer }) => at >= backAt && answer.content === 'here')?.at
      await traffic.flow(90 * SECOND, arrivalMs, { until: () => firstSuccess() !== undefined })
      await traffic.rest()
      const allowance = name === 'silent' ? FIRST_OUTPUT_MS : 0
      expect((firstSuccess() ?? Infinity) - backAt).toBeLessThanOrEqual(5 * SECOND + arrivalMs + allowance)
      // Until it is known to be down, every request finds out for itself.
      const unknownMs = name === 'silent' ? FIRST_OUTPUT_MS + 5 * SECOND : 5 * SECOND
      const most = seconds / 2 + unknownMs / arrivalMs + 2
      expect(calls).toBeLessThanOrEqual(most)
    },
    60_000,
  )

  it('is left alone once its silence has lasted, however many clients call at once', async () => {
    const { clock, upstream, traffic } = await startAlone()
    await upstream.turn('silent')
    const downAt = clock.now()
    await traffic.flow(60 * SECOND, SECOND / 4)
    const knownAt = downAt + FIRST_OUTPUT_MS + SECOND
    const after = upstream.calls.map(({ at }) => at).filter(at => at > knownAt)
    expect(after.length).toBeGreaterThan(2)
    for (const [index, at] of after.slice(1).entries())
      expect(at - (after[index] ?? 0)).toBeGreaterThanOrEqual(2 * SECOND)
    await traffic.rest()
  }, 60_000)

  it('is not barred for being slow once it has answered', async () => {
    const clock = createVirtualClock()
    const slow = open(
      await startUpstream([{ headersDelayMs: 2 * FIRST_OUTPUT_MS, ...chatStream(['here']) }], { clock }),
    )
    const gateway = open(await startGateway(configOf({ up: slow.url }, [['up/m']]), {}, { clock }))
    const traffic = createTraffic(gateway, clock)
    const beganAt = clock.now()
    await traffic.flow(60 * SECOND, SECOND)
    await traffic.rest()
    const refused = traffic.served.filter(({ answer }) => answer.status !== 200)
    // From when a third request has waited for ten seconds until the first one has its answer.
    expect(refused.every(({ at }) => at - beganAt <= 2 * FIRST_OUTPUT_MS + SECOND)).toBe(true)
    expect(refused.length).toBeLessThanOrEqual(8)
  }, 60_000)
})
