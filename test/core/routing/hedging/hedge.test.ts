import { describe, expect, it, test } from 'vitest'
import { binEnds, binOf } from '../../../../lambdas/core/health/answer-speed.ts'
import { endpointFigures } from '../../../../lambdas/core/routing/endpoint-figures.ts'
import { hedgeDelayMs, hedgeOf } from '../../../../lambdas/core/routing/hedging/hedge.ts'
import { candidatesOf, chainOf, snapshotOf } from '../../build.ts'

/** What is known of an endpoint: how many answers to small prompts began after these times. */
function figuresOf(times: Readonly<Record<number, number>>) {
  const nothing = endpointFigures({}, 0)
  const bins = new Map(Object.entries(times).map(([ms, count]) => [binOf(Number(ms)), count]))
  const answers = [...bins.values()].reduce((sum, count) => sum + count, 0)
  return { ...nothing, firstOutput: { ...nothing.firstOutput, small: { answers, bins } } }
}

const TIERS = [['a/m', 'b/m'], ['c/m']]
const delay = (
  hedge: { afterMs: number | null } | undefined,
  known: Readonly<Record<string, Readonly<Record<number, number>>>>,
  promptTokens = 100,
): number | null => {
  const figures = new Map(Object.entries(known).map(([id, times]) => [id, figuresOf(times)]))
  return hedgeDelayMs(
    { ...chainOf(TIERS), ...(hedge && { hedge }) },
    0,
    snapshotOf({ figures }),
    promptTokens,
  )
}

describe('the delay of a hedge', () => {
  it('is none where the alias is not hedged, or nothing tells what is usual', () => {
    expect(delay(undefined, { 'a/m': { 300: 500 } })).toBeNull()
    expect(delay({ afterMs: null }, { 'a/m': { 300: 49 } })).toBeNull()
    expect(delay({ afterMs: null }, { 'a/m': { 300: 500 } }, 50_000)).toBeNull()
    expect(delay({ afterMs: null }, { 'c/m': { 300: 500 } })).toBeNull()
  })

  it('is the configured time until the usual one is known, and never less than it', () => {
    expect(delay({ afterMs: 700 }, {})).toBe(700)
    expect(delay({ afterMs: 700 }, { 'a/m': { 300: 500 } })).toBe(700)
    expect(delay({ afterMs: 700 }, { 'a/m': { 2_000: 500 } })).toBeGreaterThanOrEqual(2_000)
  })

  it('is the end of the bin that 95 % of the tier’s answers reach, so that no usual answer is hedged', () => {
    for (const ms of [120, 251, 300, 399, 400, 5_000]) {
      expect(delay({ afterMs: null }, { 'a/m': { [ms]: 500 } })).toBe(Math.ceil(binEnds(binOf(ms)).to))
    }
    const [often, alone] = [{ 300: 90, 8_000: 10 }, { 300: 100 }]
    expect(delay({ afterMs: null }, { 'a/m': often })).toBeGreaterThan(8_000)
    // A replica that is often slow does not make that the usual time of all.
    expect(delay({ afterMs: null }, { 'a/m': often, 'b/m': { 300: 200 } })).toBeLessThan(1_000)
    expect(delay({ afterMs: null }, { 'a/m': often, 'c/m': alone })).toBeGreaterThan(8_000)
  })
})

test.each<[string, string[][], number, number | null]>([
  ['the next replica', [['a/m', 'b/m', 'c/m']], 0, 1],
  ['nothing of another tier', [['a/m'], ['b/m']], 0, null],
  ['no suspect', [['a/m', '~b/m']], 0, null],
  ['nothing beside a suspect', [['~a/m', '~b/m']], 0, null],
  ['nothing behind the last one', [['a/m', 'b/m']], 1, null],
])('called beside an endpoint is %s', (_, tiers, at, expected) => {
  const candidates = candidatesOf(tiers)
  const [current] = candidates.slice(at)
  const left = candidates.flatMap((__, index) => (index > at ? [index] : []))
  expect(current && hedgeOf(candidates, current, left)).toBe(expected)
})

it('is never a replica behind a trial or a last resort, nor anything beside an endpoint that answers whole', () => {
  const [a, b] = candidatesOf([['a/m', 'b/m']])
  if (!a || !b) throw new Error('two were asked for')
  const trial = [{ scope: 'provider#b' as const, everyMs: null }]
  expect(hedgeOf([a, b], a, [1])).toBe(1)
  expect(hedgeOf([a, { ...b, trial }], a, [1])).toBeNull()
  expect(hedgeOf([a, { ...b, lastResort: true }], a, [1])).toBeNull()
  const whole = { ...a, endpoint: { ...a.endpoint, stream: false } }
  expect(hedgeOf([whole, b], whole, [1])).toBeNull()
})
