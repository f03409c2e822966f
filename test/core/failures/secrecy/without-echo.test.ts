import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { withoutEcho } from '../../../../lambdas/core/failures/secrecy/without-echo.ts'

const PROMPT = {
  messages: [{ role: 'user', content: 'My mother was born in Trondheim, in\n  the hard winter of 1947.' }],
}

test.each([
  ['the model is overloaded', 'the model is overloaded'],
  ['', ''],
  ['cannot parse "born in Trondheim, in the hard winter of 1947." here', /^cannot p[^T]*\[prompt\][^7]*re$/],
  ['My mother was born in Trondheim, in the hard winter of 1947.', '[prompt].'],
])('%o becomes %o', (words, clean) => {
  if (typeof clean === 'string') expect(withoutEcho(words, PROMPT)).toBe(clean)
  else expect(withoutEcho(words, PROMPT)).toMatch(clean)
})

describe('whatever is said', () => {
  const secret = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 24, maxLength: 80 })
  const noise = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 60 }).map(text => text.trim())

  it('nothing of what it quotes is left but its edges', () => {
    fc.assert(
      fc.property(secret, noise, noise, (quoted, before, after) => {
        const clean = withoutEcho(`${before}${quoted}${after}`, { messages: [{ content: quoted }] })
        expect(clean).not.toMatch(/[xyz]{16}/)
      }),
    )
  })

  it('words that quote nothing stay as they are', () => {
    fc.assert(
      fc.property(secret, noise, (prompt, words) => {
        expect(withoutEcho(words, { messages: [{ content: prompt }] })).toBe(words)
      }),
    )
  })
})
