import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { nameModel, presentChunk } from '../../../lambdas/core/answers/present-chunk.ts'

const QUIET = { includeUsage: false, model: 'm' }
const WITH_USAGE = { includeUsage: true, model: 'm' }
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }]

describe('a chunk that breaks nobody', () => {
  const rows: [string, JsonObject, typeof QUIET][] = [
    ['with text', { model: 'x', choices }, QUIET],
    [
      'with unknown fields everywhere',
      { model: 'x', x_groq: { id: 1 }, choices: [{ ...choices[0], seed: 7 }] },
      QUIET,
    ],
    ['with null for usage', { model: 'x', choices, usage: null }, QUIET],
    ['with the usage that was asked for', { model: 'x', choices: [], usage }, WITH_USAGE],
    ['with empty choices and an annotation', { model: 'x', choices: [], prompt_filter_results: [] }, QUIET],
  ]
  test.each(rows)('%s is the very same object', (_, chunk, presentation) => {
    expect(presentChunk(chunk, presentation)).toBe(chunk)
  })
})

describe('usage that nobody asked for', () => {
  it.each([
    ['with empty choices', { model: 'x', choices: [], usage }],
    ['without choices', { model: 'x', usage }],
  ])('is no chunk %s', (_, chunk) => {
    expect(presentChunk(chunk, QUIET)).toBeNull()
  })

  it('is taken off a chunk that says more', () => {
    expect(presentChunk({ model: 'x', choices, usage, seed: 7 }, QUIET)).toEqual({
      model: 'x',
      choices,
      seed: 7,
    })
  })
})

describe('what breaks clients', () => {
  const rows: [string, JsonObject, JsonObject][] = [
    ['missing choices become none', { model: 'x', note: 1 }, { model: 'x', note: 1, choices: [] }],
    ['choices of null become none', { model: 'x', choices: null }, { model: 'x', choices: [] }],
    [
      'a missing delta becomes empty, and the rest of its choice stays',
      { model: 'x', choices: [{ index: 0, content_filter_results: {} }] },
      { model: 'x', choices: [{ index: 0, content_filter_results: {}, delta: {} }] },
    ],
    [
      'a delta of null becomes empty',
      { model: 'x', choices: [{ index: 0, delta: null, finish_reason: 'stop' }] },
      { model: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ],
    [
      'choices that are no objects go',
      { model: 'x', choices: [null, 7, ...choices] },
      { model: 'x', choices },
    ],
    ['a missing model is named', { choices }, { model: 'm', choices }],
    ['an empty model is named', { model: '', choices }, { model: 'm', choices }],
  ]
  test.each(rows)('%s', (_, chunk, expected) => {
    expect(presentChunk(chunk, QUIET)).toEqual(expected)
  })
})

it('the model that the upstream names is believed', () => {
  const answer = { model: 'gpt-4o-2024-11-20' }
  expect(nameModel(answer, 'gpt-4o')).toBe(answer)
})

it('a presented chunk needs nothing more, keeps its unknown fields, and the original is unchanged', () => {
  const arbitraryChoices = fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom(...choices)), { maxLength: 3 })
  const chunks = fc.record(
    {
      choices: fc.oneof(fc.constant(null), arbitraryChoices),
      usage: fc.constantFrom(null, usage),
      model: fc.constantFrom('', 'x'),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(chunks, fc.boolean(), (raw, includeUsage) => {
      const chunk = raw as JsonObject
      const before = structuredClone(chunk)
      const shown = presentChunk(chunk, { includeUsage, model: 'm' })
      expect(chunk).toEqual(before)
      fc.pre(shown !== null)
      expect(presentChunk(shown, { includeUsage, model: 'm' })).toBe(shown)
      expect(shown.other).toEqual(chunk.other)
    }),
  )
})
