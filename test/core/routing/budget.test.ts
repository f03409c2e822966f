import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { attemptLimits, deadlineLeftMs, type AttemptLimits } from '../../../lambdas/core/routing/budget.ts'
import type { EndpointTimeouts } from '../../../lambdas/core/endpoint.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { endpointNamed } from '../build.ts'

type Situation = Parameters<typeof attemptLimits>[0]
const limitsOf = (timeouts: EndpointTimeouts = {}, overrides: Partial<Situation> = {}): AttemptLimits =>
  attemptLimits({
    endpoint: endpointNamed('a/one', { timeouts }),
    settings: DEFAULT_SETTINGS,
    usualMs: 10_000,
    elapsedMs: 0,
    remainingMs: 900_000,
    waiting: 1,
    degraded: false,
    mostTokens: Infinity,
    ...overrides,
  })

it('the time for the first byte runs out and never becomes negative', () => {
  const left = [0, 44_999, 45_000, 99_000].map(elapsedMs => deadlineLeftMs(DEFAULT_SETTINGS, elapsedMs))
  expect(left).toEqual([45_000, 1, 0, 0])
})

describe('the limits of an attempt', () => {
  const rows: [string, EndpointTimeouts, Partial<Situation>, Partial<AttemptLimits>][] = [
    [
      'are those of the settings',
      {},
      {},
      {
        connectMs: 3_000,
        firstOutputMs: 10_000,
        idleMs: 25_000,
        answerTotalMs: 120_000,
        streamTotalMs: 600_000,
      },
    ],
    [
      'are what was declared for the endpoint',
      { connectMs: 1_000, firstOutputMs: 2_000, idleMs: 3_000, totalMs: 4_000 },
      {},
      { connectMs: 1_000, firstOutputMs: 2_000, idleMs: 3_000, answerTotalMs: 4_000, streamTotalMs: 4_000 },
    ],
    ['give the last candidate what is left of the deadline', {}, { waiting: 0 }, { firstOutputMs: 45_000 }],
    [
      'give the last candidate no more than that',
      {},
      { waiting: 0, elapsedMs: 40_000 },
      { firstOutputMs: 5_000 },
    ],
    [
      'leave those behind their share of a deadline that is near',
      {},
      { elapsedMs: 41_000 },
      { firstOutputMs: 2_000 },
    ],
    [
      'give half of the usual time while the fleet is degraded',
      {},
      { degraded: true },
      { firstOutputMs: 5_000 },
    ],
    [
      'give the last candidate what is left of the deadline also then',
      {},
      { degraded: true, waiting: 0 },
      { firstOutputMs: 45_000, silenceMs: 10_000 },
    ],
    [
      'keep a declared limit also then',
      { firstOutputMs: 30_000 },
      { degraded: true },
      { firstOutputMs: 30_000 },
    ],
    [
      'go past the deadline where that was declared',
      { firstOutputMs: 300_000 },
      {},
      { firstOutputMs: 300_000 },
    ],
    [
      'keep a declared limit for the last candidate',
      { firstOutputMs: 2_000 },
      { waiting: 0 },
      { firstOutputMs: 2_000 },
    ],
    [
      'end before the platform does',
      { firstOutputMs: 300_000 },
      { remainingMs: 1_500 },
      { connectMs: 1_500, firstOutputMs: 1_500, idleMs: 1_500, answerTotalMs: 1_500, streamTotalMs: 1_500 },
    ],
  ]
  test.each(rows)('%s', (_, timeouts, overrides, expected) => {
    expect(limitsOf(timeouts, overrides)).toMatchObject(expected)
  })

  const wholeRows: [string, EndpointTimeouts, Partial<Situation>, number][] = [
    ['that of a held answer where no length was asked for', {}, {}, 120_000],
    ['what so many tokens may take behind the first', {}, { mostTokens: 100 }, 15_000],
    ['that of a held answer where many tokens may come', {}, { mostTokens: 32_000 }, 120_000],
    ['counted from the declared limit', { firstOutputMs: 60_000 }, { mostTokens: 100 }, 65_000],
    ['no shorter near the deadline', {}, { mostTokens: 100, elapsedMs: 44_000 }, 15_000],
    ['within what the platform gives', {}, { mostTokens: 100, remainingMs: 1_500 }, 1_500],
  ]
  test.each(wholeRows)('give an answer that comes whole %s', (_, timeouts, overrides, expected) => {
    const endpoint = endpointNamed('a/one', { timeouts, stream: false })
    expect(limitsOf(timeouts, { ...overrides, endpoint }).firstOutputMs).toBe(expected)
  })

  it('are positive and within what the platform gives, always', () => {
    const remaining = fc.integer({ min: -1_000, max: 1_000_000 })
    fc.assert(
      fc.property(remaining, fc.nat(1_000_000), fc.nat(9), (remainingMs, elapsedMs, waiting) => {
        const limited = limitsOf({}, { remainingMs, elapsedMs, waiting })
        const { endsWithPlatform: _, silenceMs, ...times } = limited
        const limits = [...Object.values(times), ...(silenceMs === null ? [] : [silenceMs])]
        expect(Math.min(...limits)).toBeGreaterThanOrEqual(1)
        expect(Math.max(...limits)).toBeLessThanOrEqual(Math.max(1, remainingMs))
      }),
    )
  })
})
