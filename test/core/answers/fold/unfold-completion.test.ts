import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { mendCompletion } from '../../../../lambdas/core/answers/repair/mend-completion.ts'
import { unfoldCompletion } from '../../../../lambdas/core/answers/fold/unfold-completion.ts'
import { arbitraryCompletion } from '../../../support/arbitrary-completion.ts'
import { callId, foldAll } from '../../../support/fold-all.ts'

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const head = { id: 'x', created: 1, model: 'm' }

const completionOf = (message: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...rest }],
  usage,
})

const choicesOf = (completion: JsonObject): readonly unknown[] =>
  unfoldCompletion(completion, { includeUsage: false }).flatMap(
    chunk => chunk.choices as readonly JsonObject[],
  )

describe('an unfolded completion', () => {
  test('is a role, the content, a finish, and usage where it was asked for', () => {
    const piece = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const chunks = [piece({ role: 'assistant', content: '' }), piece({ content: 'hi' }), piece({}, 'stop')]
    const completion = completionOf({ content: 'hi' })
    expect(unfoldCompletion(completion, { includeUsage: false })).toEqual(chunks)
    expect(unfoldCompletion(completion, { includeUsage: true })).toEqual([
      ...chunks,
      { ...head, object: 'chat.completion.chunk', choices: [], usage },
    ])
  })

  test('thinks before it speaks, and speaks before it calls', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    expect(
      choicesOf(completionOf({ content: 'hi', tool_calls: [call], reasoning_content: 'hm' })),
    ).toMatchObject([
      { delta: { role: 'assistant', content: '' } },
      { delta: { reasoning_content: 'hm' } },
      { delta: { content: 'hi' } },
      { delta: { tool_calls: [{ index: 0, ...call }] } },
      { delta: {}, finish_reason: 'stop' },
    ])
  })

  test('has no content chunk where there is no content', () => {
    expect(choicesOf(completionOf({ content: null }))).toEqual([
      { index: 0, delta: { role: 'assistant', content: null }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ])
  })

  test('of garbage is empty, not an exception', () => {
    expect(unfoldCompletion({ choices: 'none' }, { includeUsage: true })).toEqual([])
    expect(unfoldCompletion({ choices: [null, 7] }, { includeUsage: true })).toEqual([])
  })
})

describe('unfolding', () => {
  test('and folding again gives the same completion', () => {
    fc.assert(
      fc.property(arbitraryCompletion, completion => {
        const mended = mendCompletion(completion, callId)
        expect(foldAll(unfoldCompletion(mended, { includeUsage: true }))).toEqual(mended)
      }),
    )
  })

  test('shows usage to no one who did not ask', () => {
    fc.assert(
      fc.property(arbitraryCompletion, completion => {
        const chunks = unfoldCompletion(completion, { includeUsage: false })
        expect(chunks.every(chunk => chunk.usage === undefined)).toBe(true)
      }),
    )
  })
})
