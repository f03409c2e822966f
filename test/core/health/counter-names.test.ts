import { describe, expect, it } from 'vitest'
import { COUNTERS, counterName, createNames, readName } from '../../../lambdas/core/health/counter-names.ts'

describe('names that are made once', () => {
  it('are the same as those that are made anew, through changes of bucket and of tag', () => {
    const nameOf = createNames()
    for (const bucket of [1, 1, 2, 1, 30]) {
      for (const tag of [undefined, 'a1', 'b2', 'a1', undefined]) {
        for (const kind of ['ok', 'failed', 'dayOk', 'firstSmall'] as const)
          expect(nameOf(kind, bucket, tag)).toBe(counterName(kind, bucket, tag))
      }
    }
  })

  it('are right however many models there are', () => {
    const nameOf = createNames()
    for (let round = 0; round < 2; round += 1) {
      for (let model = 0; model < 3_000; model += 1) {
        const tag = model.toString(16)
        expect(nameOf('ok', round, tag)).toBe(counterName('ok', round, tag))
      }
    }
  })
})

it('every counter is read as what it counts', () => {
  for (const kind of Object.keys(COUNTERS) as (keyof typeof COUNTERS)[]) {
    expect(readName(counterName(kind, 7))).toEqual({ kind, bucket: 7, tag: undefined })
    expect(readName(counterName(kind, 7, 'a1'))).toEqual({ kind, bucket: 7, tag: 'a1' })
  }
})
