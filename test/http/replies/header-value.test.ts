import { validateHeaderValue } from 'node:http'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { headerList, headerValue } from '../../../lambdas/http/replies/header-value.ts'

const MAX = 2_048
const PRINTABLE = /^[\x20-\x7E]*$/

describe('a header value', () => {
  const rows: [string, string, string][] = [
    ['leaves printable ASCII as it is', 'openai/gpt-4o;rate limit;429', 'openai/gpt-4o;rate limit;429'],
    ['leaves a percent sign as it is', '100%', '100%'],
    ['encodes letters outside ASCII', 'mödell', 'm%C3%B6dell'],
    ['encodes characters beyond the first plane whole', 'a🦙b', 'a%F0%9F%A6%99b'],
    ['encodes line breaks, tabs and null bytes', 'a\r\nset-cookie: b\t\0', 'a%0D%0Aset-cookie: b%09%00'],
    ['encodes half a surrogate pair as a replacement character', '\uD800a\uDFFF', '%EF%BF%BDa%EF%BF%BD'],
    ['may be empty', '', ''],
  ]
  test.each(rows)('%s', (_, text, expected) => {
    expect(headerValue(text)).toBe(expected)
  })

  it('is at most 2,048 characters long', () => {
    expect(headerValue('x'.repeat(MAX))).toBe('x'.repeat(MAX))
    expect(headerValue(`${'x'.repeat(MAX - 1)}%`)).toHaveLength(MAX)
    expect(headerValue('x'.repeat(MAX + 1))).toBe('x'.repeat(MAX))
  })

  it.each([0, 1, 2, 3, 4, 5])('is never cut inside an escape (%i before it)', before => {
    const value = headerValue('x'.repeat(before) + 'é'.repeat(MAX))
    expect(value.length).toBeGreaterThan(MAX - 3)
    expect(value).toMatch(/^x*(?:%[\dA-F]{2})+$/)
  })
})

describe('a list of hops', () => {
  it('joins them', () => {
    expect(headerList(['a', 'b', 'c'], ' > ')).toBe('a > b > c')
    expect(headerList(['a'], ' > ')).toBe('a')
    expect(headerList([], ' > ')).toBe('')
  })

  it('is cut between two hops, and says so', () => {
    const hop = 'h'.repeat(500)
    expect(
      headerList(
        Array.from({ length: 9 }, () => hop),
        ', ',
      ),
    ).toBe([hop, hop, hop, hop, '...'].join(', '))
  })

  it('is cut as late as the mark of the cut allows', () => {
    const first = 'h'.repeat(MAX - 4)
    expect(headerList([first, 'more'], ',')).toBe(`${first},...`)
  })

  it('is whole where it fits exactly', () => {
    const hops = ['h'.repeat(1_000), 'h'.repeat(MAX - 1_004), 'h']
    expect(headerList(hops, ',')).toBe(hops.join(','))
    expect(headerList(['h'.repeat(MAX)], ',')).toHaveLength(MAX)
  })

  it('says that it was cut even where the first hop is too long', () => {
    expect(headerList(['h'.repeat(MAX + 1), 'b'], ', ')).toBe('...')
  })

  it('counts characters after encoding', () => {
    expect(headerList(['é'.repeat(400), 'b'], ', ')).toBe('...')
  })
})

describe('laws', () => {
  // Code units, lone surrogates and control characters included.
  const texts = fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)), maxLength: 3_000 })

  it('every value is one that Node sends', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 900 })), text => {
        const value = headerValue(text)
        expect(() => validateHeaderValue('x-test', value)).not.toThrow()
        expect(value).toMatch(PRINTABLE)
        expect(value.length).toBeLessThanOrEqual(MAX)
      }),
    )
  })

  it('every list is one that Node sends, and holds whole hops only', () => {
    const hops = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 40 })
    fc.assert(
      fc.property(hops, list => {
        const value = headerList(list, ' > ')
        expect(() => validateHeaderValue('x-test', value)).not.toThrow()
        expect(value.length).toBeLessThanOrEqual(MAX)
        const whole = list.map(hop => headerList([hop], '')).join(' > ')
        const cut = value.endsWith('...') ? value.slice(0, -3) : value
        expect(whole.startsWith(cut)).toBe(true)
        expect(whole.length <= MAX ? value : 'cut').toBe(whole.length <= MAX ? whole : 'cut')
      }),
    )
  })
})
