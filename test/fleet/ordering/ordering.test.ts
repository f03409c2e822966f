import { describe, expect, it, test } from 'vitest'
import { endAfterEach } from '../instances/end-after-each.ts'
import { playTier, shareOf, type PlayedTier } from './play-tier.ts'

const open = endAfterEach()
const SECOND = 1_000
/** So long between two requests is moderate traffic: 600 an hour. */
const MODERATE_MS = 6 * SECOND
const HOUR_MS = 3_600 * SECOND

const THREE = () => ({ worst: { success: 0.2 }, middle: { success: 0.7 }, best: { success: 0.95 } })

/** What the firsts of these requests have lost against the best, in answers. */
function regretOf(firsts: readonly string[], replicas: Record<string, { success: number }>): number {
  const best = Math.max(...Object.values(replicas).map(({ success }) => success))
  return firsts.reduce((sum, first) => sum + best - (replicas[first]?.success ?? 0), 0)
}

function turn({ replicas }: PlayedTier, name: string, success: number): void {
  replicas[name] = { ...replicas[name], success }
}

describe('of three replicas that answer 95, 70 and 20 % of their calls', () => {
  it('the best is found, at a small part of what taking turns would cost', async () => {
    const replicas = THREE()
    const tier = open(await playTier(replicas, 'balanced'))
    const firsts = await tier.send(2_000, 3 * SECOND)
    const names = Object.keys(replicas)
    const inTurn = firsts.map((_, index) => names[index % names.length] ?? '')
    expect(regretOf(firsts, replicas) / regretOf(inTurn, replicas)).toBeLessThanOrEqual(0.25)
  }, 120_000)

  test.each([
    ['dies', 0],
    ['falls to 20 %', 0.2],
  ])(
    'the best is left within the thresholds when it %s, and has its share again within an hour of being well',
    async (_, success) => {
      const tier = open(await playTier(THREE(), 'balanced', 3))
      const before = await tier.send(300, MODERATE_MS)
      expect(shareOf(before.slice(-100), 'best')).toBeGreaterThan(0.9)
      turn(tier, 'best', success)
      const during = await tier.send(300, MODERATE_MS)
      // Three failures in a row bar it; after that, one call at a time finds out whether it is back.
      expect(shareOf(during.slice(0, 50), 'best')).toBeLessThan(0.65)
      expect(shareOf(during, 'best')).toBeLessThan(0.2)
      expect(shareOf(during.slice(-100), 'best')).toBeLessThan(0.2)
      turn(tier, 'best', 0.95)
      const after = await tier.send(HOUR_MS / MODERATE_MS, MODERATE_MS)
      expect(shareOf(after.slice(-100), 'best')).toBeGreaterThan(0.9)
    },
    120_000,
  )
})

describe('of three replicas that answer all of their calls', () => {
  it('fastest sends nearly all to the one whose first output comes soonest', async () => {
    const replicas = {
      slow: { success: 1, firstOutputMs: 3_000 },
      middling: { success: 1, firstOutputMs: 800 },
      fast: { success: 1, firstOutputMs: 400 },
    }
    const tier = open(await playTier(replicas, 'fastest'))
    const firsts = await tier.send(300, 10 * SECOND)
    expect(shareOf(firsts, 'fast')).toBeGreaterThanOrEqual(0.85)
    // Half a day of answers says that it is fast, and those of the last minutes that it is not.
    replicas.fast.firstOutputMs = 5_000
    const slowed = await tier.send(100, 10 * SECOND)
    expect(shareOf(slowed.slice(30), 'middling')).toBeGreaterThanOrEqual(0.85)
  }, 120_000)

  it('cheapest calls the cheapest as long as it works, and then the next', async () => {
    const price = (dollars: number) => ({ price: { input: dollars, output: 3 * dollars } })
    const replicas = {
      dear: { success: 1, declared: price(5) },
      cheap: { success: 0.95, declared: price(1) },
      modest: { success: 1, declared: price(2) },
    }
    const tier = open(await playTier(replicas, 'cheapest'))
    const well = await tier.send(200, MODERATE_MS)
    expect(shareOf(well.slice(-150), 'cheap')).toBeGreaterThanOrEqual(0.9)
    turn(tier, 'cheap', 0)
    const without = await tier.send(200, MODERATE_MS)
    expect(shareOf(without.slice(-150), 'modest')).toBeGreaterThanOrEqual(0.9)
  }, 120_000)

  it('declared weights share the requests, whatever the strategy makes of them', async () => {
    const replicas = {
      one: { success: 1, declared: { weight: 1 } },
      three: { success: 1, firstOutputMs: 50, declared: { weight: 3 } },
      spare: { success: 1, declared: { weight: 0 } },
    }
    const tier = open(await playTier(replicas, 'fastest'))
    const firsts = await tier.send(600, SECOND)
    expect(Math.abs(shareOf(firsts, 'three') - 0.75)).toBeLessThan(0.05)
    expect(shareOf(firsts, 'spare')).toBe(0)
    turn(tier, 'one', 0)
    turn(tier, 'three', 0)
    const barred = await tier.send(60, SECOND)
    expect(shareOf(barred.slice(-20), 'spare')).toBeGreaterThan(0.8)
  }, 120_000)
})
