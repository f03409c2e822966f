import { describe, expect, it } from 'vitest'
import { createEventTemplate, type Path } from '../../../lambdas/core/answers/event-template.ts'
import { parseJsonObject } from '../../../lambdas/core/json.ts'

const PATHS: readonly Path[] = [['delta'], ['number'], ['pad']]

/** Learnt from the second of two events like this one. */
function learnt(data: string, paths = PATHS) {
  const json = parseJsonObject(data)
  if (!json) throw new Error('The sample is no object.')
  const template = createEventTemplate()
  const found = [1, 2].map(() => template.learn(json, data, () => paths))
  return { template, hasLearnt: found.includes(true) }
}

const event = (number: string, delta: string, pad = 'p'): string =>
  `{"type": "delta", "number" : ${number},"delta": "${delta}","pad":"${pad}"}`

describe('createEventTemplate', () => {
  it.each([
    ['another text', event('3', 'two'), 'two'],
    ['more digits', event('1200', 'two'), 'two'],
    ['other padding, or none', event('0', 'two', ''), 'two'],
    ['escapes, as they are written', event('3', String.raw`\"a\n\u00e4\\`), String.raw`\"a\n\u00e4\\`],
    ['an escape in the padding', event('3', 'two', String.raw`\u0041`), 'two'],
    ['an escape that is none', event('3', String.raw`a\x`), null],
    ['half an escape', event('3', String.raw`a\u00e`), null],
    ['a text without an end', event('3', 'a\\'), null],
    ['no text', event('3', ''), null],
    ['a second member', event('3', 'a","other":"b'), null],
    ['a number with a leading zero', event('03', 'two'), null],
    ['a negative number', event('-3', 'two'), null],
    ['a fraction', event('3.5', 'two'), null],
    ['a number as a text', event('"3"', 'two'), null],
    ['a number that is too long to be exact', event('1234567890123456', 'two'), null],
    ['something behind it', `${event('3', 'two')} `, null],
    ['a control character', event('3', 'a\tb'), null],
  ])('reads an event with %s', (_, data, text) => {
    expect(learnt(event('7', 'one')).template.read(data)).toBe(text)
  })

  it.each([
    ['a value that stands there twice', '{"delta":"one","number":1,"pad":"p","delta":"one"}', true],
    ['a value whose first writing is the last', '{"number":1,"pad":"p","delta":"one","delta":"two"}', true],
    ['a name that is the value too', '{"delta":"delta","number":1,"pad":"p"}', true],
    ['no such value', '{"delta":"one","number":1}', false],
    ['an object in its place', '{"delta":{"a":"one"},"number":1,"pad":"p"}', false],
    ['an escaped text', '{"delta":"a\\"b","number":1,"pad":"p"}', false],
    ['the words that would prove it', '{"delta":"another text","number":1,"pad":"p"}', false],
  ])('learns from an event with %s: %s', (_, data, expected) => {
    const { template, hasLearnt } = learnt(data)
    expect(hasLearnt).toBe(expected)
    expect(template.read(data)).toBe(expected ? parseJsonObject(data)?.delta : null)
  })

  it('learns less and less often from events that are never alike', () => {
    const template = createEventTemplate()
    const at = Array.from({ length: 400 }, (_, place) => {
      const data = `{"id":"${place}","delta":"word"}`
      let isLooked = false
      template.learn({ id: String(place), delta: 'word' }, data, () => {
        isLooked = true
        return [['delta']]
      })
      return { place, isLooked }
    }).filter(({ isLooked }) => isLooked)
    expect(at.length).toBeLessThan(9)
  })
})
