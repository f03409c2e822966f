import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { binOf } from '../../../../lambdas/core/health/answer-speed.ts'
import {
  endpointFigures,
  type EndpointFigures,
  type FirstOutput,
} from '../../../../lambdas/core/routing/endpoint-figures.ts'
import { usualFirstOutputMs } from '../../../../lambdas/core/routing/promptness/usual-first-output.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../../../lambdas/core/settings/settings.ts'

const NOTHING: FirstOutput = { answers: 0, bins: new Map() }
const answers = (count: number, ms: number): FirstOutput => ({
  answers: count,
  bins: new Map([[binOf(ms), count]]),
})
const figuresOf = (small: FirstOutput, large = NOTHING): EndpointFigures => ({
  ...endpointFigures({}, 0),
  firstOutput: { small, medium: NOTHING, large },
})

type Told = { settings?: Partial<Settings>; promptTokens?: number; cuts?: number; isTrial?: boolean }
const usual = (
  figures: EndpointFigures | undefined,
  { settings, promptTokens = 100, cuts = 0, isTrial = false }: Told = {},
): number =>
  usualFirstOutputMs({ settings: { ...DEFAULT_SETTINGS, ...settings }, figures, promptTokens, cuts, isTrial })

describe('the time for the first output', () => {
  it('is the setting where nothing or too little is known of prompts of that size', () => {
    expect(usual(undefined)).toBe(10_000)
    expect(usual(figuresOf(answers(49, 300)))).toBe(10_000)
    expect(usual(figuresOf(answers(500, 300)), { promptTokens: 50_000 })).toBe(10_000)
  })

  it('is twice what nearly all answers took, within bounds', () => {
    expect(usual(figuresOf(answers(50, 300)))).toBe(2_000)
    const thinking = usual(figuresOf(answers(50, 8_000)))
    expect(thinking).toBeGreaterThan(13_000)
    expect(thinking).toBeLessThan(26_000)
    expect(usual(figuresOf(answers(50, 90_000)))).toBe(30_000)
    expect(usual(figuresOf(NOTHING, answers(50, 90_000)), { promptTokens: 50_000 })).toBe(30_000)
    const bounds = { first_output_adaptive_min_ms: 500, first_output_adaptive_max_ms: 600_000 }
    expect(usual(figuresOf(answers(50, 300)), { settings: bounds })).toBeLessThan(800)
    expect(usual(figuresOf(answers(50, 90_000)), { settings: bounds })).toBeGreaterThan(130_000)
  })

  test.each<[string, Partial<Settings>, number]>([
    ['is switched off', { first_output_adaptive_disabled: true }, 10_000],
    ['was set', { first_output_timeout_ms: 4_000 }, 4_000],
  ])('is the setting where it %s', (_, settings, expected) => {
    expect(usual(figuresOf(answers(500, 300)), { settings })).toBe(expected)
  })

  it('doubles with every cut up to the setting, or to its own bound where it is above that', () => {
    const growth = (ms: number) => [0, 1, 2, 3, 9].map(cuts => usual(figuresOf(answers(500, ms)), { cuts }))
    expect(growth(300)).toEqual([2_000, 4_000, 8_000, 10_000, 10_000])
    const [first = 0, ...others] = growth(8_000)
    expect(others).toEqual(others.map((_, cut) => Math.min(30_000, first * 2 ** (cut + 1))))
  })

  it('is never short for a trial', () => {
    expect(usual(figuresOf(answers(500, 300)), { isTrial: true })).toBe(10_000)
    expect(usual(figuresOf(answers(500, 8_000)), { isTrial: true })).toBe(30_000)
  })

  it('never shrinks with another cut, and stays within the bounds of settings and figures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900_000 }), fc.nat(20), fc.boolean(), (ms, cuts, isTrial) => {
        const figures = figuresOf(answers(60, ms))
        const limit = usual(figures, { cuts, isTrial })
        expect(limit).toBeGreaterThanOrEqual(2_000)
        expect(limit).toBeLessThanOrEqual(30_000)
        expect(usual(figures, { cuts: cuts + 1, isTrial })).toBeGreaterThanOrEqual(limit)
      }),
    )
  })
})
