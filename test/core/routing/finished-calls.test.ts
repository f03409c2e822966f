import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinFinished, readFinished, writeFinished } from '../../../lambdas/core/routing/finished-calls.ts'

const ids = fc.array(fc.string({ minLength: 1, maxLength: 300, unit: 'binary' }), { maxLength: 60 })

describe('finished calls', () => {
  it('are joined without repetitions, the newest last', () => {
    expect(joinFinished(['a', 'b', 'c'], ['d', 'b'])).toEqual(['a', 'c', 'd', 'b'])
  })

  it('lose the oldest where they are too many', () => {
    const many = Array.from({ length: 600 }, (_, index) => `call_${1_000 + index}`)
    const kept = joinFinished(many, ['newest'])
    expect(kept.at(-1)).toBe('newest')
    expect(kept).toEqual([...many.slice(-(kept.length - 1)), 'newest'])
    const { length } = writeFinished(kept)
    expect(length).toBeLessThanOrEqual(4_096)
    expect(length).toBeGreaterThan(4_096 - 'call_1000,'.length)
  })

  it('are not kept from going by one that is too long', () => {
    expect(joinFinished(['a'], ['x'.repeat(4_097), 'b'])).toEqual(['a', 'b'])
    expect(joinFinished([], ['x'.repeat(4_096)])).toHaveLength(1)
  })

  it('stand in a header as it is usual for ids', () => {
    expect(writeFinished(['call_1', 'toolu_01A-b.c:d'])).toBe('call_1,toolu_01A-b.c:d')
    expect(writeFinished(['a,b', '50%', 'two words', 'é\n'])).toBe('a%2Cb,50%25,two%20words,%C3%A9%0A')
    expect(writeFinished([])).toBe('')
  })

  it('are read as clients write them', () => {
    expect(readFinished(' call_1, call_2 ,,')).toEqual(['call_1', 'call_2'])
    expect(readFinished('50%,100%25')).toEqual(['50%', '100%'])
  })

  it('come back as they were written, whatever they are', () => {
    fc.assert(
      fc.property(ids, given => {
        const kept = joinFinished(
          [],
          given.filter(id => id.isWellFormed()),
        )
        expect(readFinished(writeFinished(kept))).toEqual(kept)
      }),
    )
  })

  it('always fit a header, of printable ASCII', () => {
    fc.assert(
      fc.property(ids, ids, (older, newer) => {
        expect(writeFinished(joinFinished(older, newer))).toMatch(/^[\x21-\x7e]{0,4096}$/)
      }),
    )
  })
})
