import { expect, test } from 'vitest'
import { mendCompletion } from '../../../../lambdas/core/answers/repair/mend-completion.ts'
import { createChunkNormaliser } from '../../../../lambdas/core/answers/repair/normalise-chunk.ts'

test.each([
  [1_785_990_796.25, 1_785_990_796],
  ['1785990796', 1_785_990_796],
  ['1785990796.5', 1_785_990_796],
  [1_785_990_796, 1_785_990_796],
  ['yesterday', 'yesterday'],
])('the time %j is %j', (created, shown) => {
  const { normalise } = createChunkNormaliser(() => 'call')
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }]
  expect(normalise({ created, choices }).created).toBe(shown)
  expect(mendCompletion({ created, choices }, () => 'call').created).toBe(shown)
})

test('an answer whose time is well is passed on as it came', () => {
  const { normalise } = createChunkNormaliser(() => 'call')
  const chunk = {
    created: 1_785_990_796,
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }],
  }
  expect(normalise(chunk)).toBe(chunk)
  expect(normalise({ choices: [] })).toEqual({ choices: [] })
})
