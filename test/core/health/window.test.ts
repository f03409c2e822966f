import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bucketAt,
  isLive,
  liveBuckets,
  sumWindow,
  type Buckets,
  type WindowShape,
} from '../../../lambdas/core/health/window.ts'

/** What a write removes. */
const expiredBuckets = (counted: Buckets, at: number, shape: WindowShape): number[] =>
  [...counted.keys()].filter(bucket => !isLive(bucket, at, shape))

const SHAPE: WindowShape = { windowMs: 300_000, bucketMs: 30_000 }
const SKEW = 5_000
const now = 1_000 * SHAPE.bucketMs

describe('a window of five minutes in half minutes', () => {
  const buckets = new Map([
    [989, 1],
    [990, 2],
    [991, 4],
    [1_000, 8],
    [1_001, 16],
  ])

  it('sums what is not older, and what a clock that runs ahead has counted', () => {
    expect(sumWindow(buckets, now, SHAPE)).toBe(28)
  })

  it('names what can be removed', () => {
    expect(expiredBuckets(buckets, now, SHAPE)).toEqual([989, 990])
    expect(expiredBuckets(new Map(), now, SHAPE)).toEqual([])
  })

  it('lives in ten buckets, and one of a clock that runs ahead', () => {
    expect(liveBuckets(now, SHAPE)).toEqual([991, 992, 993, 994, 995, 996, 997, 998, 999, 1_000, 1_001])
  })

  it('lets a count go when it is as old as the window', () => {
    const counted = new Map([[bucketAt(now, SHAPE), 1]])
    expect(sumWindow(counted, now + SHAPE.windowMs - 1, SHAPE)).toBe(1)
    expect(sumWindow(counted, now + SHAPE.windowMs, SHAPE)).toBe(0)
  })
})

describe('laws', () => {
  const shapes = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 2 * SKEW, max: 3_600_000 }))
    .map(([count, bucketMs]): WindowShape => ({ windowMs: count * bucketMs, bucketMs }))
  const instants = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })
  const situations = fc
    .tuple(shapes, instants)
    .chain(([shape, at]) =>
      fc.tuple(
        fc.constant(shape),
        fc.constant(at),
        fc.array(fc.tuple(fc.integer({ min: -2 * shape.windowMs, max: SKEW }), fc.nat(9))),
      ),
    )
    .map(([shape, at, counts]) => {
      const buckets = new Map<number, number>()
      for (const [ago, count] of counts) {
        const bucket = bucketAt(at + ago, shape)
        buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
      }
      return { shape, at, buckets }
    })
  const without = (buckets: ReadonlyMap<number, number>, gone: readonly number[]) =>
    new Map([...buckets].filter(([bucket]) => !gone.includes(bucket)))

  it('removing what has expired changes no sum, now or later', () => {
    fc.assert(
      fc.property(situations, fc.nat(10_000_000), ({ shape, at, buckets }, later) => {
        const rest = without(buckets, expiredBuckets(buckets, at, shape))
        expect(sumWindow(rest, at, shape)).toBe(sumWindow(buckets, at, shape))
        expect(sumWindow(rest, at + later, shape)).toBe(sumWindow(buckets, at + later, shape))
      }),
    )
  })

  it('removing the live buckets empties the window, counts of a clock ahead included', () => {
    fc.assert(
      fc.property(situations, ({ shape, at, buckets }) => {
        expect(sumWindow(without(buckets, liveBuckets(at, shape)), at, shape)).toBe(0)
      }),
    )
  })

  it('no bucket is both live and expired', () => {
    fc.assert(
      fc.property(situations, ({ shape, at, buckets }) => {
        const live = new Set(liveBuckets(at, shape))
        expect(expiredBuckets(buckets, at, shape).filter(bucket => live.has(bucket))).toEqual([])
      }),
    )
  })

  it('two clocks five seconds apart differ by at most the oldest bucket', () => {
    fc.assert(
      fc.property(situations, ({ shape, at, buckets }) => {
        const early = sumWindow(buckets, at, shape)
        const late = sumWindow(buckets, at + SKEW, shape)
        const [oldest = 0] = liveBuckets(at, shape)
        expect([0, buckets.get(oldest) ?? 0]).toContain(early - late)
      }),
    )
  })
})

it('buckets of another width, from before a setting was changed, count for nothing and are removed', () => {
  const narrow = { windowMs: 60_000, bucketMs: 60_000 }
  const wide = { windowMs: 86_400_000, bucketMs: 3_600_000 }
  const now = 1_700_000_000_000
  const old = new Map([[bucketAt(now, narrow), 3]])
  expect(sumWindow(old, now, wide)).toBe(0)
  expect(expiredBuckets(old, now, wide)).toEqual([...old.keys()])
})
