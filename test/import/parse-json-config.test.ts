import { expect, test } from 'vitest'
import { parseJsonConfig } from '../../infra/import/parse-json-config.ts'

test.each([
  ['comments', '// ours\n{ /* here */ "a": 1 }', { a: 1 }],
  ['trailing commas', '{"a":[1,2,],}', { a: [1, 2] }],
  ['a byte order mark', '\uFEFF{"a":1}', { a: 1 }],
  ['a slash in a text', '{"a":"https://example.com/v1"}', { a: 'https://example.com/v1' }],
])('a configuration may have %s', (_, text, expected) => {
  expect(parseJsonConfig(text)).toEqual(expected)
})

test.each([
  ['nothing', '', /value expected at line 1, column 1/],
  ['half of it', '{"models":', /value expected at line 1, column 11/],
  ['a text that never ends', '{\n "a": "b\n}', /unexpected end of string at line 2, column 7/],
  ['a model twice', '{"models":{\n"chat":{},\n"chat":{}}}', /"chat" stands twice, again at line 3, column 1/],
  ['two documents', '{} {}', /end of file expected at line 1, column 4/],
])('%s is refused, with its place', (_, text, message) => {
  expect(() => parseJsonConfig(text)).toThrow(message)
})
