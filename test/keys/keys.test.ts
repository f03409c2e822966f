import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClientOf } from '../../lambdas/keys/client-of.ts'
import { createKeyRing, keyFingerprint } from '../../lambdas/keys/key-ring.ts'

describe('the key ring', () => {
  const ring = createKeyRing(
    new Map([
      ['groq', ['one', 'two', 'one']],
      ['openai', ['one']],
      ['empty', []],
    ]),
  )

  test('a fingerprint is the head of a hash', () => {
    expect(keyFingerprint('one')).toBe(createHash('sha256').update('one').digest('hex').slice(0, 8))
  })

  test('keys keep their order, and a key given twice counts once', () => {
    expect(ring.fingerprints.get('groq')).toEqual([keyFingerprint('one'), keyFingerprint('two')])
    expect(ring.fingerprints.get('empty')).toEqual([])
    expect(ring.fingerprints.get('nobody')).toBeUndefined()
  })

  test('a secret is found by provider and fingerprint', () => {
    expect(ring.secretOf('groq', keyFingerprint('two'))).toBe('two')
    expect(ring.secretOf('openai', keyFingerprint('two'))).toBeUndefined()
    expect(ring.secretOf('nobody', keyFingerprint('one'))).toBeUndefined()
  })

  test('no secret shows in what is written down', () => {
    expect(JSON.stringify([...ring.fingerprints])).not.toContain('one')
    expect(JSON.stringify(ring)).not.toContain('one')
  })
})

describe('client keys', () => {
  const clientOf = createClientOf([
    ['default', 'alpha'],
    ['billing', 'beta'],
    ['reports', 'beta'],
  ])

  test.each([
    ['alpha', 'default'],
    ['beta', 'billing'],
  ])('%j is that of %s', (key, name) => {
    expect(clientOf(key)).toBe(name)
  })

  test.each(['', 'alph', 'alphaa', 'ALPHA', 'alpha,beta', 'gamma'])('%j is nobody’s', key => {
    expect(clientOf(key)).toBeNull()
  })

  test('without keys nothing is', () => {
    expect(createClientOf([])('')).toBeNull()
  })
})
