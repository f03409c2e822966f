import { describe, expect, it, test } from 'vitest'
import { readUsage } from '../../lambdas/core/answers/usage.ts'
import { dollarsOf, withCost } from '../../lambdas/core/cost.ts'
import { formatDollars } from '../../lambdas/core/format-dollars.ts'

const PRICE = { input: 2.5, output: 10, cachedInput: 1.25 }
const usage = (fields: object) => ({ prompt_tokens: 1_000, completion_tokens: 100, ...fields })

describe('what an answer cost', () => {
  test.each([
    ['by the price', {}, PRICE, 0.0035],
    ['what came from the cache for less', { prompt_tokens_details: { cached_tokens: 400 } }, PRICE, 0.003],
    [
      'the cache at the full price where no other is known',
      { prompt_tokens_details: { cached_tokens: 400 } },
      { input: 2.5, output: 10 },
      0.0035,
    ],
    [
      'never more from the cache than there was',
      { prompt_tokens_details: { cached_tokens: 9_999 } },
      PRICE,
      0.00225,
    ],
    ["the upstream's own figure first", { cost: 0.42 }, PRICE, 0.42],
    ['free, where the upstream says so', { cost: 0 }, PRICE, 0],
    ['a total of several figures', { cost: { total_cost: 0.006, input_tokens_cost: 0.001 } }, null, 0.006],
    ['nothing that is known', {}, null, null],
    ['by the price where the own figure makes no sense', { cost: -1 }, PRICE, 0.0035],
    ['by the price where the own figure is no number', { cost: '1' }, PRICE, 0.0035],
  ])('%s', (_, fields, price, expected) => {
    expect(dollarsOf(readUsage(usage(fields)), price)).toBe(expected)
  })

  it('is nothing that floating point adds', () => {
    const sum = dollarsOf(
      { promptTokens: 3, completionTokens: 1, totalTokens: 4 },
      { input: 0.1, output: 0.2 },
    )
    expect(sum).toBe(0.0000005)
  })
})

describe('the cost in usage', () => {
  it('is added where the price is known and the upstream told none', () => {
    expect(withCost({ choices: [], usage: usage({}) }, PRICE)).toEqual({
      choices: [],
      usage: usage({ cost: 0.0035 }),
    })
  })

  test.each([null, -1, 'unknown'])('is added in place of a figure that makes no sense: %j', cost => {
    expect(withCost({ usage: usage({ cost }) }, PRICE)).toEqual({ usage: usage({ cost: 0.0035 }) })
  })

  test.each([-1, '0.01', 1e13, Number.NaN, true, {}])(
    'is told as nothing where it is no amount: %j',
    cost => {
      expect(withCost({ id: 'x', usage: usage({ cost }) }, null)).toEqual({ id: 'x', usage: usage({}) })
    },
  )

  test.each([
    ['without a price', { usage: usage({}) }, null],
    ['where it is an object with a total', { usage: usage({ cost: { total_cost: 0.01 } }) }, PRICE],
    ['without usage', { usage: null }, PRICE],
    ["beside the upstream's own", { usage: usage({ cost: 0 }) }, PRICE],
  ])('is not added %s', (_, answer, price) => {
    expect(withCost(answer, price)).toBe(answer)
  })
})

test.each([
  [0.00000042, '0.00000042'],
  [1.5, '1.5'],
  [0, '0'],
  [100, '100'],
  [1e-7, '0.0000001'],
])('%f dollars are written %s', (dollars, text) => {
  expect(formatDollars(dollars)).toBe(text)
})
