import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { dimensionValue } from '../../lambdas/contract.ts'
import { fallbackChain } from '../../lambdas/platform/fallback-chain.ts'

const asked = (...endpoints: string[]) =>
  endpoints.map((endpoint, index) => ({ endpoint, outcome: index < endpoints.length - 1 ? 'timeout' : 'ok' }))

const ROWS: [string, string[], string | null, string | null][] = [
  ['one endpoint', ['a/1'], 'a/1', null],
  ['one endpoint, asked twice', ['a/1', 'a/1'], 'a/1', null],
  ['one endpoint that failed', ['a/1'], null, null],
  ['two', ['a/1', 'b/2'], 'b/2', 'chat: a/1 > b/2'],
  ['two, the first asked twice', ['a/1', 'a/1', 'b/2'], 'b/2', 'chat: a/1 > b/2'],
  ['three', ['a/1', 'b/2', 'c/3'], 'c/3', 'chat: a/1 > +1 > c/3'],
  ['four', ['a/1', 'b/2', 'c/3', 'd/4'], 'd/4', 'chat: a/1 > +2 > d/4'],
  ['two, and nothing answered', ['a/1', 'b/2'], null, 'chat: a/1 > +1 > none'],
  ['four, and nothing answered', ['a/1', 'b/2', 'c/3', 'd/4'], null, 'chat: a/1 > +3 > none'],
  ['names that are not ASCII', ['a/ü', 'b/2'], 'b/2', 'chat: a/%C3%BC > b/2'],
]

test.each(ROWS)('the path over %s', (_, endpoints, servedBy, path) => {
  const attempts = asked(...endpoints).map(attempt => ({
    ...attempt,
    ...(servedBy ? {} : { outcome: 'timeout' }),
  }))
  expect(fallbackChain({ alias: 'chat', attempts, servedBy })).toBe(path)
})

it('does not call it the end of the chain when a client leaves', () => {
  const attempts = [
    { endpoint: 'a/1', outcome: 'timeout' },
    { endpoint: 'b/2', outcome: 'client_left' },
  ]
  expect(fallbackChain({ alias: 'chat', attempts, servedBy: null })).toBe('chat: a/1 > b/2')
})

describe('whatever the names are', () => {
  const name = fc.string({ unit: 'binary', maxLength: 400 })

  it('a path is printable ASCII of at most 250 characters, with alias and ends in it', () => {
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (alias, endpoints) => {
        const chain = fallbackChain({
          alias,
          attempts: asked(...endpoints),
          servedBy: endpoints.at(-1) ?? null,
        })
        // Two odd names may become one.
        if (new Set(endpoints.map(dimensionValue)).size < 2) return void expect(chain).toBeNull()
        expect(chain).toMatch(/^[\x20-\x7e]+: [\x20-\x7e]+ > [\x20-\x7e]+$/)
        expect(chain?.length).toBeLessThanOrEqual(250)
      }),
    )
  })

  it('a dimension has a value', () => {
    fc.assert(fc.property(name, text => void expect(dimensionValue(text)).toMatch(/^[\x20-\x7e]{1,250}$/)))
  })
})
