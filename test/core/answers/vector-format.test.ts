import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { vectorLength, withFormat } from '../../../lambdas/core/answers/vector-format.ts'

const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 })

describe('a vector', () => {
  it('is the same in either format, to the last bit', () => {
    fc.assert(
      fc.property(vector, numbers => {
        const encoded = withFormat(numbers, 'base64')
        expect(encoded).toBe(Buffer.from(new Float32Array(numbers).buffer).toString('base64'))
        expect(withFormat(encoded, 'float')).toEqual(numbers)
        expect([vectorLength(encoded), vectorLength(numbers)]).toEqual([numbers.length, numbers.length])
      }),
    )
  })

  it('is not touched where it has the format', () => {
    const numbers = [0.1, 1e-7]
    expect(withFormat(numbers, 'float')).toBe(numbers)
    expect(withFormat('AACAPw==', 'base64')).toBe('AACAPw==')
  })

  test.each([[[]], [''], ['AAAA'], ['no base64!'], [[1, 'two']], [[null]], [{}], [null], [undefined]])(
    'is none: %j',
    value => {
      expect(vectorLength(value)).toBeNull()
    },
  )
})
