import { describe, expect, it } from 'vitest'
import { binOf } from '../../../../lambdas/core/health/answer-speed.ts'
import { asksPlainly } from '../../../../lambdas/core/routing/promptness/asks-plainly.ts'
import { endpointFigures, type EndpointFigures } from '../../../../lambdas/core/routing/endpoint-figures.ts'

function figuresOf(count: number, ms: number, more: Partial<EndpointFigures> = {}): EndpointFigures {
  const figures = endpointFigures({}, 0)
  const small = { answers: count, bins: new Map([[binOf(ms), count]]) }
  const firstOutput = { ...figures.firstOutput, small }
  return { ...figures, firstOutput, tokensPerSecond: 500, outputTokens: 20, ...more }
}

const ASKED = { figures: figuresOf(50, 300), promptTokens: 20, mostTokens: Infinity, usualMs: 2_000 }

describe('asksPlainly', () => {
  it('asks plainly where all of an answer comes in half of the time that a stream may be silent', () => {
    expect(asksPlainly(ASKED)).toBe(true)
  })

  it.each([
    ['the endpoint is not known', { figures: undefined }],
    ['too few answers are', { figures: figuresOf(49, 300) }],
    ['its answers begin late', { figures: figuresOf(50, 5_000) }],
    ['they begin later than they used to', { figures: figuresOf(50, 300, { pace: 4 }) }],
    ['nothing is known of prompts of that size', { promptTokens: 50_000 }],
    ['its answers are long', { figures: figuresOf(50, 300, { outputTokens: 400 }) }],
    ['its tokens come slowly', { figures: figuresOf(50, 300, { tokensPerSecond: 50 }) }],
    ['nothing is known of their length', { figures: figuresOf(50, 300, { outputTokens: null }) }],
    ['nothing is known of their speed', { figures: figuresOf(50, 300, { tokensPerSecond: null }) }],
    ['silence is noticed sooner', { usualMs: 500 }],
  ])('streams where %s', (_, told) => {
    expect(asksPlainly({ ...ASKED, ...told })).toBe(false)
  })

  it('asks an endpoint with long answers plainly for a short one', () => {
    const figures = figuresOf(50, 300, { outputTokens: 4_000 })
    expect(asksPlainly({ ...ASKED, figures, mostTokens: 100 })).toBe(true)
  })
})
