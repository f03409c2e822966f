import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { modeAfter, NORMAL, type Mode } from '../../../lambdas/core/health/mode.ts'

const AT = 1_000_000
const few = (at: number, all = 4) => ({ usable: 1, all, at })
const enough = (at: number, all = 4) => ({ usable: 2, all, at })
const degraded: Mode = { state: 'degraded', since: AT, enoughSince: null }

describe('the fleet is degraded', () => {
  it('once fewer than half of its providers have been usable for a minute', () => {
    const first = modeAfter(NORMAL, few(AT))
    expect(first).toEqual({ state: 'normal', fewSince: AT })
    expect(modeAfter(first, few(AT + 59_999))).toEqual(first)
    expect(modeAfter(first, few(AT + 60_000))).toEqual({ ...degraded, since: AT + 60_000 })
  })

  it('not where they came back in between', () => {
    const first = modeAfter(NORMAL, few(AT))
    const back = modeAfter(first, enough(AT + 30_000))
    expect(back).toEqual(NORMAL)
    expect(modeAfter(back, few(AT + 60_000))).toEqual({ state: 'normal', fewSince: AT + 60_000 })
  })

  const counts: [number, number, boolean][] = [
    [0, 1, false],
    [0, 2, false],
    [0, 3, true],
    [1, 3, true],
    [2, 3, false],
    [1, 4, true],
    [2, 4, false],
    [2, 5, true],
    [0, 0, false],
  ]
  test.each(counts)('with %d of %d usable: %s', (usable, all, expected) => {
    const first = modeAfter(NORMAL, { usable, all, at: AT })
    expect(modeAfter(first, { usable, all, at: AT + 60_000 }).state === 'degraded').toBe(expected)
  })

  it('until enough have been usable for two minutes', () => {
    const back = modeAfter(degraded, enough(AT))
    expect(back).toEqual({ ...degraded, enoughSince: AT })
    expect(modeAfter(back, enough(AT + 119_999))).toEqual(back)
    expect(modeAfter(back, enough(AT + 120_000))).toEqual(NORMAL)
  })

  it('still where they went again in between', () => {
    const back = modeAfter(degraded, enough(AT))
    const gone = modeAfter(back, few(AT + 60_000))
    expect(gone).toEqual(degraded)
    expect(modeAfter(gone, enough(AT + 120_000)).state).toBe('degraded')
  })

  it('no longer where its owner left it fewer than three providers', () => {
    const back = modeAfter(degraded, few(AT, 2))
    expect(modeAfter(back, few(AT + 120_000, 2))).toEqual(NORMAL)
  })
})

it('the mode changes only after its opposite has held without a break', () => {
  const looks = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1_000, max: 90_000 })))
  fc.assert(
    fc.property(looks, script => {
      let mode: Mode = NORMAL
      let at = AT
      let fewFor: number[] = []
      for (const [isFew, pause] of script) {
        at += pause
        const same = fewFor.length > 0 && isFew === (fewFor[0] === 1)
        fewFor = same ? [...fewFor, at] : [isFew ? 1 : 0, at]
        const held = at - (fewFor[1] ?? at)
        const next = modeAfter(mode, isFew ? few(at) : enough(at))
        if (next.state !== mode.state) {
          expect(next.state).toBe(isFew ? 'degraded' : 'normal')
          expect(held).toBeGreaterThanOrEqual(isFew ? 60_000 : 120_000)
        }
        mode = next
      }
    }),
  )
})
