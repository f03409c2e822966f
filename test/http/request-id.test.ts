import { validateHeaderValue } from 'node:http'
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { requestIdOf } from '../../lambdas/http/request-headers.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'

const idOf = (asked: string): string => requestIdOf(functionUrlEvent({ headers: { 'x-request-id': asked } }))

it("is the platform's where the client names none", () => {
  expect(requestIdOf(functionUrlEvent({ requestId: 'from-the-platform' }))).toBe('from-the-platform')
})

test.each([
  ['a UUID', '2f9f7c1e-8a3c-4d0e-9c53-0d5a4a1f6b7e'],
  ['a trace id', 'Root=1-67891233:abcdef/span@x+y.z'],
  ['128 characters', 'x'.repeat(128)],
])("is the client's where that is %s", (_, asked) => {
  expect(idOf(asked)).toBe(asked)
})

test.each([
  ['blank', '   '],
  ['129 characters', 'x'.repeat(129)],
  ['two words', 'one two'],
  ['not ASCII', 'idé'],
  ['a second header in disguise', 'a\r\nset-cookie: b'],
  ['a second line', 'a\nb'],
  ['JSON', '{"a":1}'],
])("is the platform's where the client's is %s", (_, asked) => {
  expect(idOf(asked)).toBe('platform-id')
})

it('loses the spaces around it', () => {
  expect(idOf('  mine ')).toBe('mine')
})

it('is fit for a header, whatever the client sends', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), asked => {
      const id = idOf(asked)
      expect(() => validateHeaderValue('x-request-id', id)).not.toThrow()
      expect(id).toMatch(/^\S{1,128}$/)
    }),
  )
})
