import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import {
  dayOf,
  encodeName,
  keptUntil,
  placeOf,
  rangesOf,
  subjectAt,
} from '../../../lambdas/core/callers/usage-place.ts'

const NOON = Date.UTC(2026, 10, 30, 12)
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })

it('finds every name again, whatever characters it has', () => {
  const law = fc.property(name, name, name, (caller, model, endpoint) => {
    const at = placeOf({ caller, model, endpoint }, NOON)
    expect(subjectAt(at)).toEqual({ day: '2026-11-30', caller, model, endpoint })
    expect(`${at.pk}${at.sk}`).toMatch(/^[\x21-\x7e]+$/)
  })
  fc.assert(law)
})

it('keeps long names short, and apart', () => {
  const long = (end: string): string => encodeName(`${'ä'.repeat(400)}${end}`)
  expect(long('a').length).toBeLessThanOrEqual(300)
  expect(long('a')).not.toBe(long('b'))
  const at = placeOf({ caller: 'x'.repeat(5_000), model: 'ä'.repeat(900), endpoint: 'e' }, NOON)
  expect(at.sk.length).toBeLessThan(1_000)
  expect(subjectAt(at)).toMatchObject({ endpoint: 'e' })
})

test.each([
  ['another partition', { pk: 'usage#client#a' as const, sk: '30#a#b#c' }],
  ['too few names', { pk: 'usage#record#2026-11#0' as const, sk: '30#a#b' }],
  ['too many names', { pk: 'usage#record#2026-11#0' as const, sk: '30#a#b#c#d' }],
])('reads nothing from %s', (_, at) => {
  expect(subjectAt(at)).toBeNull()
})

it('covers every day of a range, once, and no other', () => {
  const days = fc.tuple(
    fc.integer({ min: 0, max: 800 }),
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: -3, max: 103 }),
  )
  const law = fc.property(days, name, ([start, length, offset], caller) => {
    const day = (number: number): number => NOON + number * 86_400_000
    const { pk, sk } = placeOf({ caller, model: 'm', endpoint: 'e' }, day(start + offset))
    const covering = rangesOf(dayOf(day(start)), dayOf(day(start + length))).filter(
      range => range.pk === pk && range.first <= sk && sk <= range.last,
    )
    expect(covering).toHaveLength(offset >= 0 && offset <= length ? 1 : 0)
  })
  fc.assert(law)
})

test('what is counted is kept for 13 months after its own', () => {
  expect(new Date(keptUntil(NOON)).toISOString()).toBe('2028-01-01T00:00:00.000Z')
})
