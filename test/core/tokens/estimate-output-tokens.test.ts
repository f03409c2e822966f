import { describe, expect, it, test } from 'vitest'
import {
  estimateOutputTokens,
  mostOutputTokens,
} from '../../../lambdas/core/tokens/estimate-output-tokens.ts'
import { estimateTextTokens } from '../../../lambdas/core/tokens/estimate-text-tokens.ts'
import type { JsonObject } from '../../../lambdas/core/json.ts'

const deltaOf = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] })
const TEXT = 'What a model writes, it bills.'
const THAT = estimateTextTokens(TEXT)

describe('the output of a chunk', () => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'send', arguments: TEXT } }
  const rows: [string, JsonObject, number][] = [
    ['is its text', deltaOf({ content: TEXT }), THAT],
    ['is the text of its parts', deltaOf({ content: [{ type: 'text', text: TEXT }] }), THAT],
    ['is a refusal', deltaOf({ refusal: TEXT }), THAT],
    ['is a tool call, without its id', deltaOf({ tool_calls: [call] }), THAT + estimateTextTokens('send')],
    ['is a thought', deltaOf({ reasoning_content: TEXT }), THAT],
    [
      'is a thought once, however often it is said',
      deltaOf({ reasoning: TEXT, reasoning_details: [{ type: 'reasoning.text', text: TEXT }] }),
      THAT,
    ],
    ['is nothing where only a role is said', deltaOf({ role: 'assistant', content: '' }), 0],
    ['is nothing where there are no choices', { choices: [], usage: { prompt_tokens: 5 } }, 0],
    ['is nothing where there is no answer', { error: { message: TEXT } }, 0],
    ['is a whole message too', { choices: [{ message: { role: 'assistant', content: TEXT } }] }, THAT],
    [
      'is that of all choices',
      { choices: [{ delta: { content: TEXT } }, { delta: { content: TEXT } }] },
      2 * THAT,
    ],
  ]
  test.each(rows)('%s', (_, chunk, expected) => {
    expect(estimateOutputTokens(chunk)).toBeCloseTo(expected)
  })
})

it('no output is longer than what was asked for, over all choices', () => {
  expect(mostOutputTokens({})).toBe(Infinity)
  expect(mostOutputTokens({ max_tokens: null, n: 2 })).toBe(Infinity)
  expect(mostOutputTokens({ max_tokens: 50 })).toBe(50)
  expect(mostOutputTokens({ max_tokens: 50, max_completion_tokens: 20, n: 3 })).toBe(60)
})
