import { expect, it, describe, test } from 'vitest'
import {
  AnswerLimitError,
  MOST_NAMES,
  MOST_PIECES,
  MOST_VALUES,
} from '../../../../lambdas/core/answers/answer-limits.ts'
import { MOST_COMMAS } from '../../../../lambdas/core/answers/json-nesting.ts'
import { MAX_NESTING, readEventPieces } from '../../../../lambdas/core/answers/repair/event-pieces.ts'

const repeat = (count: number, entry: (place: number) => string): string =>
  Array.from({ length: count }, (_, place) => entry(place)).join(',')
const kindsOf = (data: string): readonly string[] => readEventPieces(data).map(({ kind }) => kind)

describe('an event is refused before it is parsed', () => {
  test.each([
    ['with too many objects', `{"a":[${repeat(MOST_VALUES, () => '{}')}]}`],
    ['with too many strings', `{"a":[${repeat(MOST_VALUES, () => '""')}]}`],
    ['with too many lists', `{"a":[${repeat(MOST_VALUES, () => '[]')}]}`],
    ['with too many numbers', `{"a":[${repeat(MOST_COMMAS + 2, () => '1')}]}`],
    ['with too many names', `{${repeat(MOST_NAMES + 1, place => `"k${place}":1`)}}`],
    ['of too many documents', '{}'.repeat(MOST_PIECES + 2)],
  ])('%s', (_, data) => {
    expect(() => readEventPieces(data)).toThrow(AnswerLimitError)
  })

  it('but not for what its strings say', () => {
    const text = '{"a":[1,2],"b":"c"}'.repeat(100_000)
    const data = JSON.stringify({ choices: [{ delta: { content: text } }] })
    expect(readEventPieces(data)).toEqual([{ kind: 'document', json: JSON.parse(data), text: data }])
  })

  it('just as one below every limit is read', () => {
    const data = `{"a":[${repeat(MOST_VALUES - 3, () => '""')}]}`
    expect(kindsOf(data)).toEqual(['document'])
  })
})

describe('a long event', () => {
  const long = 'x'.repeat(1024 * 1024)

  it('is read where it is well made', () => {
    expect(kindsOf(`{"a":"${long}"}`)).toEqual(['document'])
  })

  test.each([
    ['cut', `{"choices":[{"delta":{"content":"${long}`],
    ['with a raw line break', `{"a":"${long}\n"}`],
    ['glued to another', `{"a":"${long}"}{"b":1}`],
  ])('is broken where it is %s: no repair goes over megabytes', (_, data) => {
    expect(kindsOf(data)).toEqual(['broken'])
  })
})

it('is broken where it is nested too deeply, whatever its length', () => {
  expect(kindsOf('['.repeat(2 * MAX_NESTING + 1))).toEqual(['broken'])
})
