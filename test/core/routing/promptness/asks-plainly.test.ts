import { describe, expect, it } from 'vitest'
import { binOf } from '../../../../lambdas/core/health/answer-speed.ts'
import { asksPlainly } from '../../../../lambdas/core/routing/promptness/asks-plainly.ts'
import { endpointFigures, type EndpointFigures } from '../../../../lambdas/core/routing/endpoint-figures.ts'

function figuresOf(count: number, ms: number): EndpointFigures {
  const figures = endpointFigures({}, 0)
  const small = { answers: count, bins: new Map([[binOf(ms), count]]) }
  return { ...figures, firstOutput: { ...figures.firstOutput, small } }
}

const SHORT = { figures: figuresOf(50, 300), promptTokens: 20, mostTokens: 100, cuts: 0, mayHedge: false }

describe('asksPlainly', () => {
  it('asks an endpoint that has been prompt for a short answer as one', () => {
    expect(asksPlainly(SHORT)).toBe(true)
  })

  it.each([
    ['the endpoint is not known', { figures: undefined }],
    ['too few answers are', { figures: figuresOf(49, 300) }],
    ['its answers begin late', { figures: figuresOf(50, 5_000) }],
    ['nothing is known of prompts of that size', { promptTokens: 50_000 }],
    ['the answer may be long', { mostTokens: 101 }],
    ['the request names no limit', { mostTokens: Infinity }],
    ['it was cut of late', { cuts: 1 }],
    ['another one is called beside what is late', { mayHedge: true }],
  ])('streams where %s', (_, told) => {
    expect(asksPlainly({ ...SHORT, ...told })).toBe(false)
  })
})
