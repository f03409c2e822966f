import { expect, test } from 'vitest'
import { mendCompletion } from '../../../../lambdas/core/answers/repair/mend-completion.ts'
import { createChunkNormaliser } from '../../../../lambdas/core/answers/repair/normalise-chunk.ts'
import { parseExact } from '../../../../lambdas/core/exact-json.ts'
import { isJsonObject, type JsonObject } from '../../../../lambdas/core/json.ts'

function read(text: string): JsonObject {
  const value = parseExact(text)
  if (!isJsonObject(value)) throw new Error('no object')
  return value
}

test.each([
  ['123', '123'],
  ['1234567890123456789', '1234567890123456789'],
  ['"chatcmpl-1"', 'chatcmpl-1'],
])('the id %s is the text %s', (id, text) => {
  const chunk = read(`{"id":${id},"choices":[{"index":0,"delta":{"content":"Hi"}}]}`)
  const whole = read(`{"id":${id},"choices":[{"index":0,"message":{"content":"Hi"}}]}`)
  const { normalise } = createChunkNormaliser(() => 'call')
  expect(normalise(chunk).id).toBe(text)
  expect(normalise(read(`{"id":${id},"choices":[],"usage":{}}`)).id).toBe(text)
  expect(mendCompletion(whole, () => 'call').id).toBe(text)
})

test('no id is given where there is none', () => {
  const { normalise } = createChunkNormaliser(() => 'call')
  expect(normalise({ choices: [] })).toEqual({ choices: [] })
})
