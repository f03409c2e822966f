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
  ['three', ['a/1', 'b/2', 'c/3'], 'c/3', 'chat: a/1 > c/3'],
  ['four', ['a/1', 'b/2', 'c/3', 'd/4'], 'd/4', 'chat: a/1 > d/4'],
  ['two, and nothing answered', ['a/1', 'b/2'], null, 'chat: a/1 > none'],
  ['four, and nothing answered', ['a/1', 'b/2', 'c/3', 'd/4'], null, 'chat: a/1 > none'],
  ['names that are not ASCII', ['a/ü', 'b/2'], 'b/2', 'chat: a/%C3%BC > b/2'],
]

test.each(ROWS)('the path over %s', (_, endpoints, servedBy, path) => {
  const attempts = asked(...endpoints).map(attempt => ({
    ...attempt,
    ...(servedBy ? {} : { outcome: 'timeout' }),
  }))
  expect(fallbackChain({ alias: 'chat', first: endpoints[0] ?? '', attempts, servedBy })).toBe(path)
})

it('names the first of the chain, also where it was not called', () => {
  const walk = { alias: 'chat', first: 'a/1', attempts: asked('b/2', 'c/3'), servedBy: 'c/3' }
  expect(fallbackChain(walk)).toBe('chat: a/1 > c/3')
})

it('has no value for the way back to the first of the chain, nor for a client that left before an end', () => {
  expect(fallbackChain({ alias: 'chat', first: 'a/1', attempts: asked('b/2', 'a/1'), servedBy: 'a/1' })).toBe(
    null,
  )
  const attempts = [
    { endpoint: 'a/1', outcome: 'timeout' },
    { endpoint: 'b/2', outcome: 'client_left' },
  ]
  expect(fallbackChain({ alias: 'chat', first: 'a/1', attempts, servedBy: null })).toBe(null)
})

const name = fc.string({ unit: 'binary', maxLength: 400 })

it('a chain of n endpoints has at most n values, whatever is called in which order', () => {
  const chains = fc.uniqueArray(name, { minLength: 1, maxLength: 8 })
  const walks = fc.array(
    fc.record({
      called: fc.array(fc.nat(7), { maxLength: 10 }),
      outcome: fc.constantFrom('ok', 'timeout', 'client_left', 'hedged'),
    }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(name, chains, walks, (alias, endpoints, played) => {
      const values = played.map(({ called, outcome }) => {
        const names = called.map(index => endpoints[index % endpoints.length] ?? '')
        const attempts = names.map((endpoint, index) => ({
          endpoint,
          outcome: index < names.length - 1 ? 'timeout' : outcome,
        }))
        const servedBy = outcome === 'ok' ? (names.at(-1) ?? null) : null
        return fallbackChain({ alias, first: endpoints[0] ?? '', attempts, servedBy })
      })
      expect(new Set(values.filter(value => value !== null)).size).toBeLessThanOrEqual(endpoints.length)
    }),
  )
})

describe('whatever the names are', () => {
  it('a value is printable ASCII of at most 250 characters, with alias and ends in it', () => {
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (alias, endpoints) => {
        const [first = ''] = endpoints
        const chain = fallbackChain({
          alias,
          first,
          attempts: asked(...endpoints),
          servedBy: endpoints.at(-1) ?? null,
        })
        expect(chain).toMatch(/^[\x20-\x7e]+: [\x20-\x7e]+ > [\x20-\x7e]+$/)
        expect(chain?.length).toBeLessThanOrEqual(250)
      }),
    )
  })

  it('a dimension has a value', () => {
    fc.assert(fc.property(name, text => void expect(dimensionValue(text)).toMatch(/^[\x20-\x7e]{1,250}$/)))
  })
})
