import { describe, expect, it, test } from 'vitest'
import {
  FIRST_OUTPUT,
  binOf,
  speedCounts,
  measuredAnswer,
} from '../../../lambdas/core/health/answer-speed.ts'
import { FIXED_WINDOWS, counterName, type FixedKind } from '../../../lambdas/core/health/counter-names.ts'
import { bucketAt } from '../../../lambdas/core/health/window.ts'
import { endpointFigures, firstOutputWithin } from '../../../lambdas/core/routing/endpoint-figures.ts'

const DAY = 86_400_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = 20_000 * DAY + DAY / 2

const name = (kind: FixedKind, at: number, tag?: string): string =>
  counterName(kind, bucketAt(at, FIXED_WINDOWS[kind]), tag)

/** The counters of an endpoint whose first outputs came after these times. */
function firstOutputs(...times: readonly number[]): Record<string, number> {
  const counters: Record<string, number> = {}
  for (const ms of times) {
    const attribute = name(FIRST_OUTPUT.small, NOON, binOf(ms).toString(16))
    counters[attribute] = (counters[attribute] ?? 0) + 1
  }
  return counters
}

describe('successes and failures', () => {
  test.each([
    ['of today count in full', 0, 10],
    ['of the day before count less, by how long ago it ended', 1, 10 * 0.5 ** 0.25],
    ['of the third day count half of that of the first', 3, 10 * 0.5 ** 1.25],
    ['of the eighth day count no more', 8, 0],
  ])('%s', (_, daysAgo, expected) => {
    const counters = { [name('dayOk', NOON - daysAgo * DAY)]: 10, [name('dayFailed', NOON)]: 3 }
    const { successes, failures } = endpointFigures(counters, NOON)
    expect(successes).toBeCloseTo(expected, 6)
    expect(failures).toBe(3)
  })

  it('of the last hour are kept apart', () => {
    const counters = { [name('lateOk', NOON)]: 4, [name('lateFailed', NOON - 30 * MINUTE)]: 8 }
    const { late } = endpointFigures(counters, NOON)
    expect(late.successes).toBe(4)
    expect(late.failures).toBeCloseTo(8 * 0.5, 6)
    expect(endpointFigures(counters, NOON + 2 * HOUR).late).toEqual({ successes: 0, failures: 0 })
  })
})

describe('the time to the first output', () => {
  test.each([80, 120, 400, 800, 3_000, 47_000])('of %d ms is told within a third', ms => {
    const { small } = endpointFigures(firstOutputs(ms, ms, ms), NOON).firstOutput
    expect(small.answers).toBe(3)
    const median = firstOutputWithin(small, 0.5) ?? 0
    expect(Math.abs(Math.log(median / ms))).toBeLessThan(0.34)
  })

  it('orders shares: the slow tail shows in the last percent alone', () => {
    const times = Array.from({ length: 100 }, (_, index) => (index < 97 ? 400 : 9_000))
    const { small } = endpointFigures(firstOutputs(...times), NOON).firstOutput
    expect(firstOutputWithin(small, 0.95)).toBeLessThan(700)
    expect(firstOutputWithin(small, 0.99)).toBeGreaterThan(6_000)
  })

  it('is not known where nothing was counted', () => {
    const { firstOutput, tokensPerSecond } = endpointFigures({}, NOON)
    expect(firstOutputWithin(firstOutput.large, 0.99)).toBeNull()
    expect(tokensPerSecond).toBeNull()
  })
})

it('tokens a second are those of the output, and of all the time where an answer came whole', () => {
  const counters = (isWhole: boolean): Record<string, number> =>
    Object.fromEntries(
      speedCounts(
        measuredAnswer(10, isWhole, { firstOutputMs: 1_000, outputTokens: 300, outputMs: 5_000 }),
      ).map(({ kind, tag, by }) => [name(kind as FixedKind, NOON, tag), by]),
    )
  expect(endpointFigures(counters(false), NOON)).toMatchObject({
    tokensPerSecond: 60,
    firstOutput: { small: { answers: 1 } },
  })
  expect(endpointFigures(counters(true), NOON)).toMatchObject({
    tokensPerSecond: 50,
    firstOutput: { small: { answers: 0 } },
  })
})

describe('the pace of the last hour', () => {
  const after = (pace: number): number => {
    const counts = speedCounts({
      promptSize: 'small',
      firstOutputMs: 400 * pace,
      outputTokens: 0,
      outputMs: 0,
      pace,
    })
    const counters = Object.fromEntries(
      counts.map(({ kind, tag, by }) => [name(kind as FixedKind, NOON, tag), 20 * by]),
    )
    return endpointFigures({ ...counters, [name('lateOk', NOON)]: 20 }, NOON).pace
  }

  it('tells how its answers compare with the usual ones', () => {
    expect(after(1)).toBe(1)
    expect(after(5)).toBeGreaterThan(4)
    expect(after(0.2)).toBeLessThan(0.4)
    expect(endpointFigures({}, NOON).pace).toBe(1)
  })

  test.each([
    ['an answer ten times as slow counts in full', 4_000, false, 10],
    ['one that is slower yet counts no more', 90_000, false, 10],
    ['one that shows nothing before it is whole says nothing', 4_000, true, 1],
  ])('%s', (_, firstOutputMs, isWhole, expected) => {
    const timing = { firstOutputMs, outputTokens: 10, outputMs: 0 }
    expect(measuredAnswer(100, isWhole, timing, 400).pace).toBe(expected)
    expect(measuredAnswer(100, isWhole, timing).pace).toBe(1)
  })
})

it('counters that are none of these, or make no sense, are passed over', () => {
  const counters = { [`e${Math.floor(NOON / HOUR)}`]: 4, nonsense: 1, x1_z: 1, constructor: 2, dm20000: 9 }
  expect(endpointFigures(counters, NOON)).toEqual(endpointFigures({}, NOON))
})
