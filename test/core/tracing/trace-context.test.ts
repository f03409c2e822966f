import { describe, expect, it, test } from 'vitest'
import { isSampled } from '../../../lambdas/core/tracing/sampling.ts'
import { readTraceContext, traceHeaders } from '../../../lambdas/core/tracing/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const VALID = `00-${TRACE}-${SPAN}-01`

const stateOf = (tracestate: string): string | null => readTraceContext(VALID, tracestate)?.state ?? null

describe('a traceparent', () => {
  it('is read, and written as it was', () => {
    const context = readTraceContext(VALID, 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7')
    expect(context).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      flags: 1,
      state: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
    })
    expect(context && traceHeaders(context)).toEqual({
      traceparent: VALID,
      tracestate: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
    })
  })

  test.each([
    ['nothing', undefined],
    ['of another length', `00-${TRACE}0-${SPAN}-01`],
    ['in capitals', VALID.toUpperCase()],
    ['of no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['of no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['of the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['of the first version with more fields', `${VALID}-more`],
    ['of a later version with something glued to it', `01-${TRACE}-${SPAN}-01more`],
    ['twice', `${VALID},${VALID}`],
    ['with what a header must not hold', `${VALID}\r\nx-injected: 1`],
  ])('is ignored where it is %s', (_, text) => {
    expect(readTraceContext(text, 'a=1')).toBeNull()
  })

  it('of a later version is read as far as this one goes, and written as this one', () => {
    const context = readTraceContext(`cc-${TRACE}-${SPAN}-ff-what-the-future-holds`, undefined)
    expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN, flags: 3 })
    expect(context && traceHeaders(context)).toEqual({ traceparent: `00-${TRACE}-${SPAN}-03` })
  })
})

describe('a tracestate', () => {
  it.each([
    ['an empty member is none', 'a=1,,b=2', 'a=1,b=2'],
    ['a key may name a tenant', 'fw529a3039@dt=FfAAAA', 'fw529a3039@dt=FfAAAA'],
    ['a key in capitals is none', 'Foo=1,b=2', null],
    ['a value may not have an equals sign', 'a=b=c', null],
    ['a key may stand there once', 'a=1,a=2', null],
    ['nothing is nothing', '', null],
    ['a member needs a value', 'a', null],
  ])('%s', (_, text, expected) => {
    expect(stateOf(text)).toBe(expected)
  })

  it('has at most 32 members, and as many are passed on as fit into 512 characters', () => {
    const members = (count: number, value: string): string =>
      Array.from({ length: count }, (_, at) => `k${at}=${value}`).join(',')
    expect(stateOf(members(32, 'v'))).toBe(members(32, 'v'))
    expect(stateOf(members(33, 'v'))).toBeNull()
    const long = members(20, 'v'.repeat(60))
    const cut = stateOf(long) ?? ''
    expect(cut.length).toBeLessThanOrEqual(512)
    expect(long.startsWith(`${cut},`)).toBe(true)
  })
})

describe('sampling', () => {
  const parent = (flags: number) => ({ traceId: TRACE, spanId: SPAN, flags, state: null })
  const ids = Array.from({ length: 1_000 }, (_, at) =>
    ((BigInt(at) * 0x9e3779b97f4a7c15f39cc0605cedc835n) % 2n ** 128n).toString(16).padStart(32, '0'),
  )

  it('follows the caller, where it is to', () => {
    expect(isSampled({ ratio: 1, parentBased: true }, TRACE, parent(0))).toBe(false)
    expect(isSampled({ ratio: 0, parentBased: true }, TRACE, parent(1))).toBe(true)
    expect(isSampled({ ratio: 1, parentBased: false }, TRACE, parent(0))).toBe(true)
    expect(isSampled({ ratio: 0, parentBased: false }, TRACE, parent(1))).toBe(false)
  })

  it('takes a share of the traces, and the same ones with a larger share', () => {
    const taken = (ratio: number) => ids.filter(id => isSampled({ ratio, parentBased: false }, id, null))
    expect(taken(1)).toHaveLength(1_000)
    expect(taken(0)).toHaveLength(0)
    const quarter = taken(0.25)
    expect(quarter.length).toBeGreaterThan(200)
    expect(quarter.length).toBeLessThan(300)
    expect(taken(0.5)).toEqual(expect.arrayContaining(quarter))
  })
})
