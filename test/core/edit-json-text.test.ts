import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { editJsonText } from '../../lambdas/core/edit-json-text.ts'

test.each([
  ['{"model":"a"}', '{"model":"b"}'],
  [
    ' {\n  "n": 12345678901234567890, "model" : "a" , "x": [1.0, {"model": "a"}] }\n',
    ' {\n  "n": 12345678901234567890, "model" : "b" , "x": [1.0, {"model": "a"}] }\n',
  ],
  ['{"x":"}\\",{","model":"a","y":true}', '{"x":"}\\",{","model":"b","y":true}'],
  ['{"\\u006dodel":"a"}', '{"\\u006dodel":"b"}'],
])('%s gets another model and nothing else', (text, edited) => {
  expect(editJsonText(text, new Map([['model', '"b"']]))).toBe(edited)
})

test.each([
  ['{"a":1,"gone":{"x":[1]},"b":2}', '{"a":1,"b":2}'],
  ['{"gone":1}', '{}'],
  ['{"a":1, "gone":null}', '{"a":1}'],
])('%s loses a member', (text, edited) => {
  expect(editJsonText(text, new Map([['gone', null]]))).toBe(edited)
})

it('does to the text what it says, whatever the text is', () => {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.jsonValue(),
      (object, name, value) => {
        const text = JSON.stringify(object, null, 1)
        const others = Object.entries(object).filter(([other]) => other !== name)
        expect(JSON.parse(editJsonText(text, new Map([[name, null]])))).toEqual(
          plain(Object.fromEntries(others)),
        )
        const edited = Object.entries(object).map(
          ([other, old]) => [other, other === name ? value : old] as const,
        )
        expect(JSON.parse(editJsonText(text, new Map([[name, JSON.stringify(value)]])))).toEqual(
          plain(Object.fromEntries(edited)),
        )
      },
    ),
  )
})
