import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readUsage } from '../../../lambdas/core/answers/usage.ts'

const tokens = (promptTokens: number, completionTokens: number, totalTokens: number) => ({
  promptTokens,
  completionTokens,
  totalTokens,
})

describe('usage', () => {
  const rows: [string, unknown, ReturnType<typeof readUsage>][] = [
    ['is read in OpenAI shape', { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, tokens(3, 4, 7)],
    [
      'sums its parts where the total is missing',
      { prompt_tokens: 3, completion_tokens: 4 },
      tokens(3, 4, 7),
    ],
    [
      'believes a total that holds hidden reasoning',
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 90 },
      tokens(3, 4, 90),
    ],
    ['takes a missing part for none', { prompt_tokens: 3, total_tokens: 3 }, tokens(3, 0, 3)],
    [
      'takes null parts for none',
      { prompt_tokens: 3, completion_tokens: null, total_tokens: null },
      tokens(3, 0, 3),
    ],
    [
      'takes a part that is no count for none',
      { prompt_tokens: '3', completion_tokens: -4, total_tokens: 5 },
      tokens(0, 0, 5),
    ],
    ['of zero tokens is none', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, null],
    ['of an empty object is none', {}, null],
    ['of null is none', null, null],
    ['of a list is none', [1, 2, 3], null],
    ['of a text is none', 'many', null],
  ]
  test.each(rows)('%s', (_, raw, expected) => {
    expect(readUsage(raw)).toEqual(expected)
  })

  it('is finite and not negative, whatever an upstream writes', () => {
    const field = fc.constantFrom('prompt_tokens', 'completion_tokens', 'total_tokens')
    fc.assert(
      fc.property(fc.dictionary(field, fc.oneof(fc.double(), fc.anything())), raw => {
        const counts = Object.values(readUsage(raw) ?? {})
        expect(counts.every(count => Number.isFinite(count) && count >= 0)).toBe(true)
      }),
    )
  })
})
