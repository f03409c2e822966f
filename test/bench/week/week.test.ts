import { expect, it } from 'vitest'
import { DAY_MS, ENDPOINTS, WEEK_MS } from './incidents.ts'
import { arrivalsOfWeek } from './trace.ts'
import { SEED } from './week-benchmark.ts'
import { FAILED_IN_PRODUCTION } from './week-fragments.ts'
import { createWorld, type Encounter } from './world.ts'

const ATTEMPTS = 4

/** The failing hops of one request that remembers nothing; empty = it was answered. */
function failingHops(world: ReturnType<typeof createWorld>, at: number): readonly Encounter[] {
  let now = at
  const hops: Encounter[] = []
  for (const endpoint of ENDPOINTS.slice(0, ATTEMPTS)) {
    const hop = world.meet(endpoint, now)
    if (hop.ailment === null) return []
    now += hop.afterMs
    hops.push(hop)
  }
  return hops
}

it('the week has the shape of the one in production that it stands for', () => {
  const world = createWorld(SEED)
  const arrivals = arrivalsOfWeek(SEED)
  expect(arrivals).toHaveLength(1_467)
  expect(arrivals.every(at => at >= 0 && at < WEEK_MS)).toBe(true)
  const failed = arrivals
    .map(at => ({ at, hops: failingHops(world, at) }))
    .filter(({ hops }) => hops.length > 0)
  const onDay = (day: number): number => failed.filter(({ at }) => Math.floor(at / DAY_MS) === day).length
  // Of which 208 on the bad day and 36 on the one that followed it.
  expect(Math.abs(failed.length - FAILED_IN_PRODUCTION)).toBeLessThanOrEqual(5)
  expect(Math.abs(onDay(3) - 208)).toBeLessThanOrEqual(5)
  expect(Math.abs(onDay(4) - 36)).toBeLessThanOrEqual(5)
  const hops = failed.flatMap(one => one.hops)
  const share = (ailment: Encounter['ailment']): number =>
    hops.filter(hop => hop.ailment === ailment).length / hops.length
  expect(share('dead')).toBeCloseTo(0.3, 1)
  expect(share('no_capacity')).toBeCloseTo(0.13, 1)
  expect(share('removed')).toBeCloseTo(0.11, 1)
  const meanMs = hops.reduce((sum, { afterMs }) => sum + afterMs, 0) / hops.length
  expect(Math.abs(meanMs - 7_300)).toBeLessThanOrEqual(150)
})
