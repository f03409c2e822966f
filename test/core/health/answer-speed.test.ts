import { describe, expect, it } from 'vitest'
import { measuredAnswer, plainAnswer, speedCounts } from '../../../lambdas/core/health/answer-speed.ts'

const TIMING = { firstOutputMs: 900, outputTokens: 50, outputMs: 0 }

describe('plainAnswer', () => {
  it('says how its time compares with the usual one, and nothing of first outputs and speed', () => {
    // 400 ms until the first output and 100 tokens a second: 900 ms in all.
    expect(plainAnswer(20, TIMING, 400, 100).pace).toBe(1)
    expect(plainAnswer(20, { ...TIMING, firstOutputMs: 1_800 }, 400, 100).pace).toBe(2)
    expect(plainAnswer(20, { ...TIMING, firstOutputMs: 90_000 }, 400, 100).pace).toBe(10)
    expect(speedCounts(plainAnswer(20, TIMING, 400, 100))).toEqual([{ kind: 'latePace', by: 100 }])
  })

  it.each([
    [null, 100],
    [400, null],
  ])('says nothing where the usual time is not known: %j ms, %j tokens a second', (usualMs, speed) => {
    expect(plainAnswer(20, TIMING, usualMs, speed).pace).toBe(1)
  })
})

describe('speedCounts', () => {
  it('counts the answers that tokens and times are of', () => {
    const streamed = measuredAnswer(20, false, { firstOutputMs: 300, outputTokens: 50, outputMs: 500 })
    expect(speedCounts(streamed)).toEqual(
      expect.arrayContaining([
        { kind: 'outTokens', by: 50 },
        { kind: 'outMs', by: 500 },
        { kind: 'outAnswers', by: 1 },
      ]),
    )
  })
})
