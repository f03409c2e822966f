import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createKeyHider } from '../../../../lambdas/core/failures/secrecy/hide-keys.ts'
import { createKeyMask } from '../../../../lambdas/core/failures/secrecy/mask-keys.ts'
import { ENCODINGS, solid, standsIn, worth } from '../../../gateway/secrecy/encodings.ts'
import { KEYS } from '../../../gateway/secrecy/planted.ts'

const KEY = 'sk-live-9Tq2Zx7Lm4Wn8Rb3'
const hide = createKeyHider([KEY, 'EMPTY', 'not-needed'])
const mask = createKeyMask([KEY, 'ollama', 'not-needed'])

describe('an error', () => {
  test.each([
    [`Incorrect API key: ${KEY}.`, 'Incorrect API key: [key].'],
    ['Incorrect API key: ****Tq2Zx7Lm4Wn8****.', 'Incorrect API key: ****[key]****.'],
    ['s k - l i v e - 9 T q 2 Z x 7 L m 4 W n 8 R b 3', '[key]'],
    ['{"a":"sk-live-9Tq2","b":"Zx7Lm4Wn8Rb3"}', '{"a":"[key]","b":"[key]"}'],
    [
      JSON.stringify({ type: 'Buffer', data: [...Buffer.from('sk-live-9Tq2')] }),
      '{"type":"Buffer","data":[0,0,45,0,0,0,0,45,0,0,0,0]}',
    ],
    ['{"sk-live-9Tq2Zx7Lm4W":null}', '{"[key]":null}'],
    [String.raw`{"a":"\"${KEY}\" is wrong"}`, String.raw`{"a":"\"[key]\" is wrong"}`],
    ['This is EMPTY, and an API key is not what it needs.', null],
    ['The model is overloaded. Please try again in 9m38.016s.', null],
    ['', null],
  ])('%o is told as %o', (words, told) => {
    expect(hide(words)).toBe(told ?? words)
  })

  test.each(Object.entries(ENCODINGS))('repeats no key %s', (_, encode) => {
    for (const key of Object.values(KEYS)) {
      const said = JSON.stringify({
        error: { message: `Key ${encode(key)} and ${encode(`Bearer ${key}`)}.` },
      })
      const told = createKeyHider([key])(said)
      expect(standsIn(solid(told), encode(key), worth(encode, 8))).toBeNull()
      expect(JSON.parse(told)).toHaveProperty('error.message')
    }
  })

  it('that repeats none stays as it is, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), words => {
        expect(hide(words)).toBe(words)
      }),
    )
  })

  it('stays JSON, whatever it holds', () => {
    const text = fc.string({ unit: fc.constantFrom(...KEY, '"', '\\', '%', '&', ';', '\n', ' ', '{', ':') })
    const cut = fc.tuple(fc.nat(KEY.length), fc.nat(KEY.length)).map(([from, to]) => KEY.slice(from, to))
    const value = fc.jsonValue({ maxDepth: 2 })
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(text, cut), fc.oneof(text, cut, value)), object => {
        expect(() => JSON.parse(hide(JSON.stringify(object)))).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})

describe('an answer', () => {
  test.each([
    [`The key is ${KEY}!`, 'The key is [key]!'],
    [encodeURIComponent(`<${KEY}>`), '%3C[key]%3E'],
    [`${KEY.slice(0, 9)}\n${KEY.slice(9)}`, '[key]'],
    // A word that somebody gave as a key because some client wanted one.
    ['ollama pull llama3, if not-needed', null],
    [`Only a part of it: ${KEY.slice(0, 12)}`, null],
  ])('%o is shown as %o', (text, shown) => {
    expect(mask(text)).toBe(shown ?? text)
  })

  it.each([0, 1, 2, 3])('has no key in base64, %i bytes into it', before => {
    const text = Buffer.from(`${'x'.repeat(before)}${KEY} and more`).toString('base64')
    expect(mask(text)).toContain('[key]')
    expect(mask(text)).not.toContain(Buffer.from(KEY).toString('base64').slice(4, 20))
  })
})
