import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Sha256 } from '../../lambdas/providers/sha256.ts'

const TEXT = 'Größe: 1 kB, 日本'
const BYTES = new TextEncoder().encode(`..${TEXT}`).subarray(2)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('the hash that signs calls of AWS', () => {
  it.each([
    ['a text', 'AWS4secret', 'AWS4secret'],
    ['a part of some bytes', BYTES, TEXT],
    ['a whole buffer', Uint8Array.from(BYTES).buffer, TEXT],
  ])('is keyed with %s', async (_, secret, key) => {
    const hash = new Sha256(secret)
    hash.update(TEXT)
    hash.update(new Uint8Array())
    expect(hex(await hash.digest())).toBe(createHmac('sha256', key).update(TEXT).digest('hex'))
  })

  it.each([TEXT, BYTES, Uint8Array.from(BYTES).buffer])('needs no key', async data => {
    const hash = new Sha256()
    hash.update(data)
    expect(hex(await hash.digest())).toBe(createHash('sha256').update(TEXT).digest('hex'))
  })
})
