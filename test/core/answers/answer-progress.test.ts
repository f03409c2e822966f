import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  NO_PROGRESS,
  advance,
  commits,
  isFinished,
  judgeEnd,
  type AnswerProgress,
} from '../../../lambdas/core/answers/answer-progress.ts'
import type { ChunkView } from '../../../lambdas/core/answers/inspect-chunk.ts'
import type { Usage } from '../../../lambdas/core/answers/usage.ts'

type Chunk = Extract<ChunkView, { kind: 'chunk' }>

const viewOf = (overrides: Partial<Chunk> = {}): Chunk => ({
  kind: 'chunk',
  output: false,
  finish: null,
  choices: [0],
  finished: [],
  usage: null,
  ...overrides,
})
const role = viewOf()
const text = viewOf({ output: true })
const textOf = (index: number): Chunk => viewOf({ output: true, choices: [index] })
const end = (finish: string, index = 0): Chunk => viewOf({ finish, choices: [index], finished: [index] })
const usage = (totalTokens: number): Usage => ({
  promptTokens: 1,
  completionTokens: totalTokens - 1,
  totalTokens,
})
const usageOnly = viewOf({ choices: [], usage: usage(7) })

const after = (views: readonly Chunk[], done = false): AnswerProgress => ({
  ...views.reduce(advance, NO_PROGRESS),
  done,
})

describe('an answer that has ended', () => {
  const rows: [string, Chunk[], boolean, ReturnType<typeof judgeEnd>][] = [
    ['is complete with a finish reason', [role, text, end('stop')], false, 'complete'],
    ['is complete with [DONE] alone', [role, text], true, 'complete'],
    ['is complete with a finish reason that nobody knows', [text, end('eos_token')], false, 'complete'],
    ['is complete where usage follows the finish', [text, end('stop'), usageOnly], false, 'complete'],
    ['is complete where annotations follow the finish', [text, end('stop'), role], false, 'complete'],
    ['is truncated with neither', [role, text, text], false, 'truncated'],
    ['is truncated where only usage followed', [text, usageOnly], false, 'truncated'],
    ['is empty with nothing', [], false, 'empty'],
    ['is empty with nothing but [DONE]', [], true, 'empty'],
    ['is empty with a role and a stop', [role, end('stop')], true, 'empty'],
    ['is empty with a call for tools that never came', [role, end('tool_calls')], true, 'empty'],
    ['is an answer where the length ran out at once', [role, end('length')], true, 'complete'],
    ['is an answer where a filter stopped it at once', [end('content_filter')], false, 'complete'],
    [
      'is truncated where one of two choices is missing its end',
      [textOf(0), textOf(1), end('stop')],
      false,
      'truncated',
    ],
    [
      'is complete where both choices have ended',
      [textOf(0), textOf(1), end('stop', 1), end('length', 0)],
      false,
      'complete',
    ],
    [
      'is complete where one choice ended before the next began',
      [text, end('stop'), textOf(1), end('stop', 1)],
      false,
      'complete',
    ],
    [
      'is truncated where a choice began after the end of another',
      [text, end('stop'), textOf(1)],
      false,
      'truncated',
    ],
    [
      'is complete with [DONE] although a choice has no end',
      [textOf(0), textOf(1), end('stop')],
      true,
      'complete',
    ],
  ]
  test.each(rows)('%s', (_, views, done, expected) => {
    expect(judgeEnd(after(views, done))).toBe(expected)
  })
})

describe('an answer commits', () => {
  const rows: [string, Chunk[], boolean][] = [
    ['not with a role', [role], false],
    ['not with usage', [usageOnly], false],
    ['not with a stop', [role, end('stop')], false],
    ['with output', [role, text], true],
    ['with a filter that left nothing', [end('content_filter')], true],
  ]
  test.each(rows)('%s', (_, views, expected) => {
    expect(commits(after(views))).toBe(expected)
  })
})

it('the last usage and the last finish reason count', () => {
  const views = [viewOf({ usage: usage(3) }), end('length'), text, viewOf({ usage: usage(9) }), role]
  expect(after(views)).toMatchObject({ usage: usage(9), finish: 'length' })
})

it('no memory grows with the number of chunks', () => {
  const long = after(Array.from({ length: 1_000 }, () => text))
  expect(long.unfinished).toEqual([0])
})

describe('laws', () => {
  const views = fc
    .record({
      output: fc.boolean(),
      index: fc.nat(2),
      finish: fc.option(fc.constantFrom('stop', 'length', 'tool_calls')),
      hasChoice: fc.boolean(),
    })
    .map(({ output, index, finish, hasChoice }) =>
      hasChoice
        ? viewOf({ output, finish, choices: [index], finished: finish === null ? [] : [index] })
        : viewOf({ choices: [] }),
    )
  const shuffled = fc
    .array(views, { maxLength: 12 })
    .chain(list =>
      fc.tuple(
        fc.constant([text, ...list]),
        fc.shuffledSubarray([text, ...list], { minLength: list.length + 1 }),
      ),
    )

  it('in which order the chunks of several choices come does not change the verdict', () => {
    fc.assert(
      fc.property(shuffled, fc.boolean(), ([inOrder, mixed], done) => {
        expect(judgeEnd(after(mixed, done))).toBe(judgeEnd(after(inOrder, done)))
      }),
    )
  })

  it('what has committed through output never becomes uncommitted, and never empty', () => {
    fc.assert(
      fc.property(fc.array(views), later => {
        expect(commits(after([text, ...later]))).toBe(true)
        expect(judgeEnd(after([text, ...later]))).not.toBe('empty')
      }),
    )
  })

  it('a finished answer stays finished while no new choice begins', () => {
    fc.assert(
      fc.property(fc.array(views), later => {
        const oneChoice = later.map(view => ({
          ...view,
          choices: [0],
          finished: view.finish === null ? [] : [0],
        }))
        expect(isFinished(after([text, end('stop'), ...oneChoice]))).toBe(true)
      }),
    )
  })
})
