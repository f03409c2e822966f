import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from '../../lambdas/sse/event-reader.ts'
import { DONE_EVENT, formatEvent } from '../../lambdas/sse/format-event.ts'

const read = (text: string) => createEventReader().push(new TextEncoder().encode(text))

test('an event is one data line and a blank line', () => {
  expect(formatEvent('{"a":1}')).toBe('data: {"a":1}\n\n')
})

test.each(['{\n"a":1}', '{\r\n"a":1}', '{\r"a":1}'])('a line break in the data leaves one line: %j', data => {
  expect(formatEvent(data)).toBe('data: { "a":1}\n\n')
})

test('the end of a stream reads as [DONE]', () => {
  expect(read(DONE_EVENT)).toEqual([{ event: null, data: '[DONE]' }])
})

test('any JSON comes back as the value it was, pretty-printed or not', () => {
  fc.assert(
    fc.property(fc.object(), fc.constantFrom(0, 2), (value, indent) => {
      const [event] = read(formatEvent(JSON.stringify(value, null, indent)))
      expect(JSON.parse(event?.data ?? '')).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
