import { expect, test } from 'vitest'
import type { AnswerPart } from '../../../../lambdas/core/answers/stream-reader.ts'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { holdUntilOutput, holdWhole } from '../../../../lambdas/engine/request/answer/held-answer.ts'
import { chatChunk } from '../../../support/upstreams/chat-bodies.ts'

const read = (json: JsonObject): AnswerPart => ({ json, text: JSON.stringify(json) })
const FIRST = chatChunk({ role: 'assistant', content: 'one' })

/** A part that repeats the first one but for its text, and that nobody may have to parse. */
const piece = (text: string): AnswerPart => ({
  get json(): JsonObject {
    throw new Error('It was parsed.')
  },
  text: JSON.stringify(chatChunk({ content: text })),
  piece: { choice: 0, field: 'content', text },
  like: FIRST,
})

const ANSWER = [read(FIRST), piece(' two'), piece(' three')]

test('what repeats the part before it is added up without being parsed', () => {
  const held = holdWhole()
  held.add(ANSWER)
  held.add([piece(' four'), read(chatChunk({}, 'stop'))])
  expect(held.completion()).toMatchObject({
    choices: [{ message: { content: 'one two three four' }, finish_reason: 'stop' }],
  })
})

test('what came with the first output is held as it is', () => {
  const held = holdUntilOutput()
  held.add([read(chatChunk({ role: 'assistant', content: '' })), ...ANSWER])
  expect(held.parts()).toHaveLength(4)
  expect(held.parts().at(-1)?.text).toContain(' three')
})

test('behind a piece even a bare chunk is kept: it may be the usage that was asked for', () => {
  const bare = read({ ...chatChunk({}), choices: [] })
  const silent = holdUntilOutput()
  silent.add([read(chatChunk({ role: 'assistant' })), bare])
  const spoken = holdUntilOutput()
  spoken.add([piece('one'), bare])
  expect([silent.parts().length, spoken.parts().length]).toEqual([1, 2])
})

test.each([
  ['added up', holdWhole],
  ['held until its first output', holdUntilOutput],
])('an answer without end, %s, is refused', (_, hold) => {
  const held = hold()
  const long = piece('x'.repeat(8 * 1024 * 1024))
  held.add([read(FIRST), long, long, long])
  expect(() => held.add([long, long])).toThrow(expect.objectContaining({ code: 'BACKSTOP_ANSWER_TOO_LARGE' }))
})
