import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import {
  createToolCallNormaliser,
  normaliseCompletion,
} from '../../../lambdas/core/answers/normalise-tool-calls.ts'
import { unfoldCompletion } from '../../../lambdas/core/answers/unfold-completion.ts'
import { arbitraryCompletion } from '../../support/arbitrary-completion.ts'
import { foldAll } from '../../support/fold-all.ts'

const chunkOf = (delta: JsonObject, finish_reason: string | null = null, index = 0): JsonObject => ({
  id: 'c1',
  choices: [{ index, delta, finish_reason }],
})
const call = (id: string, name: string): JsonObject => ({ id, function: { name, arguments: '{}' } })

const answerOf = (finish_reason: string, tool_calls: readonly JsonObject[] | null): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason }],
})

describe('tool call deltas', () => {
  test('get the index that the Gemini layer leaves out', () => {
    const normalise = createToolCallNormaliser()
    const first = normalise(chunkOf({ tool_calls: [call('a', 'f'), call('b', 'g')] }))
    const second = normalise(chunkOf({ tool_calls: [call('c', 'h')] }))
    expect(first).toEqual(
      chunkOf({
        tool_calls: [
          { ...call('a', 'f'), index: 0 },
          { ...call('b', 'g'), index: 1 },
        ],
      }),
    )
    expect(second).toEqual(chunkOf({ tool_calls: [{ ...call('c', 'h'), index: 2 }] }))
  })

  test('get another index where two calls share one', () => {
    const normalise = createToolCallNormaliser()
    normalise(chunkOf({ tool_calls: [{ index: 0, ...call('a', 'f') }] }))
    expect(normalise(chunkOf({ tool_calls: [{ index: 0, ...call('b', 'g') }] }))).toEqual(
      chunkOf({ tool_calls: [{ index: 1, ...call('b', 'g') }] }),
    )
  })

  test('are counted for each choice alone', () => {
    const normalise = createToolCallNormaliser()
    normalise(chunkOf({ tool_calls: [call('a', 'f')] }))
    expect(normalise(chunkOf({ tool_calls: [call('b', 'g')] }, null, 1))).toEqual(
      chunkOf({ tool_calls: [{ index: 0, ...call('b', 'g') }] }, null, 1),
    )
  })
})

describe('the finish reason', () => {
  test('after tool calls is tool_calls, where the host said stop', () => {
    const normalise = createToolCallNormaliser()
    normalise(chunkOf({ tool_calls: [{ index: 0, ...call('a', 'f') }] }))
    expect(normalise(chunkOf({}, 'stop'))).toEqual(chunkOf({}, 'tool_calls'))
  })

  test('is set right on the very chunk that brings the calls', () => {
    const chunk = chunkOf({ tool_calls: [{ index: 0, ...call('a', 'f') }] }, 'stop')
    expect(createToolCallNormaliser()(chunk)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  test.each(['length', 'content_filter', 'function_call', 'eos', null])('%j stays what it is', finish => {
    const normalise = createToolCallNormaliser()
    normalise(chunkOf({ tool_calls: [{ index: 0, ...call('a', 'f') }] }))
    const chunk = chunkOf({}, finish)
    expect(normalise(chunk)).toBe(chunk)
  })

  test('of a whole answer follows the same rule', () => {
    expect(normaliseCompletion(answerOf('stop', [call('a', 'f')]))).toEqual(
      answerOf('tool_calls', [call('a', 'f')]),
    )
    for (const untouched of [
      answerOf('stop', null),
      answerOf('stop', []),
      answerOf('length', [call('a', 'f')]),
      {},
    ]) {
      expect(normaliseCompletion(untouched)).toBe(untouched)
    }
  })
})

describe('what needs nothing', () => {
  test.each<[string, JsonObject]>([
    ['text', chunkOf({ content: 'hi' })],
    ['a proper tool call', chunkOf({ tool_calls: [{ index: 0, ...call('a', 'f') }] })],
    ['null in place of tool calls', chunkOf({ content: 'hi', tool_calls: null }, 'stop')],
    ['an empty list of tool calls', chunkOf({ tool_calls: [] }, 'stop')],
    ['a choice without delta', { choices: [{ index: 0, finish_reason: null }] }],
    ['no choices', { choices: [] }],
    ['choices that are null', { choices: null }],
    ['garbage', { choices: [null, 7, { delta: { tool_calls: [null] } }] }],
  ])('comes back as the same object: %s', (_, chunk) => {
    expect(createToolCallNormaliser()(chunk)).toBe(chunk)
  })
})

describe('normalising', () => {
  test('chunk by chunk is the same as normalising the whole', () => {
    fc.assert(
      fc.property(arbitraryCompletion, completion => {
        const chunks = unfoldCompletion(completion, { includeUsage: true })
        expect(foldAll(chunks.map(createToolCallNormaliser()))).toEqual(normaliseCompletion(completion))
      }),
    )
  })

  test('twice changes nothing more', () => {
    fc.assert(
      fc.property(arbitraryCompletion, completion => {
        const once = unfoldCompletion(completion, { includeUsage: false }).map(createToolCallNormaliser())
        const twice = once.map(createToolCallNormaliser())
        expect(twice.every((chunk, place) => chunk === once[place])).toBe(true)
      }),
    )
  })
})
