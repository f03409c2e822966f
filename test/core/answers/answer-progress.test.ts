import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  advance,
  commits,
  createProgress,
  isSettled,
  judgeEnd,
  type AnswerProgress,
} from '../../../lambdas/core/answers/answer-progress.ts'
import type { ChoiceView, ChunkView } from '../../../lambdas/core/answers/inspect-chunk.ts'
import type { Usage } from '../../../lambdas/core/answers/usage.ts'

const viewOf = (overrides: Partial<ChoiceView> = {}, usage: Usage | null = null): ChunkView => ({
  choices: [{ index: 0, output: false, answer: false, finish: null, ...overrides }],
  usage,
})
const role = viewOf()
const thought = viewOf({ output: true })
const textOf = (index: number): ChunkView => viewOf({ output: true, answer: true, index })
const text = textOf(0)
const end = (finish: string, index = 0): ChunkView => viewOf({ finish, index })
const usage = (totalTokens: number): Usage => ({
  promptTokens: 1,
  completionTokens: totalTokens - 1,
  totalTokens,
})
const usageOnly: ChunkView = { choices: [], usage: usage(7) }

function after(views: readonly ChunkView[], done = false, wanted = 1): AnswerProgress {
  const progress = createProgress(wanted)
  for (const view of views) advance(progress, view)
  progress.done = done
  return progress
}

describe('an answer that has ended', () => {
  const rows: [string, ChunkView[], boolean, ReturnType<typeof judgeEnd>][] = [
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
  const rows: [string, ChunkView[], boolean][] = [
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
  const views = [viewOf({}, usage(3)), end('length'), text, viewOf({}, usage(9)), role]
  expect(after(views)).toMatchObject({ usage: usage(9), finish: 'length' })
})

it('no memory grows with the number of chunks', () => {
  const long = after(Array.from({ length: 1_000 }, () => text))
  expect(long.choices.size).toBe(1)
})

describe('nothing more is expected', () => {
  const rows: [string, ChunkView[], number, boolean][] = [
    ['after a finish', [text, end('stop')], 1, true],
    ['not while output follows it', [text, end('stop'), text], 1, false],
    ['not after a finish behind reasoning alone', [thought, end('stop')], 1, false],
    ['after the length ran out in the middle of reasoning', [thought, end('length')], 1, true],
    ['after an answer to that reasoning', [thought, end('stop'), text, end('stop')], 1, true],
    ['not while one of two choices is still to begin', [text, end('stop')], 2, false],
    ['after both choices', [text, end('stop'), textOf(1), end('stop', 1)], 2, true],
    ['not before anything', [], 1, false],
  ]
  test.each(rows)('%s', (_, views, wanted, expected) => {
    expect(isSettled(after(views, false, wanted))).toBe(expected)
  })

  it('but [DONE], once usage was the last to come', () => {
    expect(after([text, end('stop'), usageOnly]).usageLast).toBe(true)
    expect(after([text, end('stop'), usageOnly, role]).usageLast).toBe(true)
    expect(after([viewOf({ output: true, answer: true, finish: 'stop' }, usage(3))]).usageLast).toBe(false)
  })
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
      hasChoice ? viewOf({ output, answer: output, finish, index }) : { choices: [], usage: null },
    )
  it('how the chunks of several choices are mixed does not change the verdict', () => {
    const indexOf = ({ choices: [choice] }: ChunkView): number => choice?.index ?? -1
    fc.assert(
      fc.property(fc.array(views, { maxLength: 12 }), fc.boolean(), (mixed, done) => {
        const inOrder = mixed.toSorted((left, right) => indexOf(left) - indexOf(right))
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

  it('an answer that is settled stays so until output or another choice comes', () => {
    fc.assert(
      fc.property(fc.array(views), later => {
        const quiet = later.map(({ usage: counted }) => viewOf({}, counted))
        expect(isSettled(after([text, end('stop'), ...quiet]))).toBe(true)
      }),
    )
  })
})
