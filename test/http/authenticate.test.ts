import { describe, expect, it, test } from 'vitest'
import { acceptsClientKey } from '../../lambdas/keys/accepts-client-key.ts'
import { authenticate } from '../../lambdas/http/authenticate.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'
import { rejectionOf } from './refusal-of.ts'

const accepts = acceptsClientKey(['first-key', 'second-key'])
const withHeaders = (headers: Record<string, string>) => functionUrlEvent({ headers })

describe('a caller is let in', () => {
  test.each([
    ['with a bearer key', { authorization: 'Bearer first-key' }],
    ['with another key', { authorization: 'Bearer second-key' }],
    ['however the scheme is written', { authorization: 'bearer   first-key ' }],
    ['with x-api-key', { 'x-api-key': 'first-key' }],
    ['with x-api-key beside a foreign scheme', { authorization: 'Basic abc', 'x-api-key': 'first-key' }],
  ])('%s', async (_, headers) => {
    await expect(authenticate(withHeaders(headers), accepts)).resolves.toBeUndefined()
  })

  it('without a key where the gateway has none', async () => {
    await expect(authenticate(withHeaders({}), null)).resolves.toBeUndefined()
  })

  it('once the keys are there, where they have to be fetched', async () => {
    const fetched = (presented: string) => Promise.resolve(accepts(presented))
    await expect(authenticate(withHeaders({ 'x-api-key': 'first-key' }), fetched)).resolves.toBeUndefined()
    const refusal = await rejectionOf(authenticate(withHeaders({ 'x-api-key': 'wrong' }), fetched))
    expect(refusal.code).toBe('invalid_api_key')
  })
})

describe('a caller is turned away', () => {
  const rows: [string, Record<string, string>, RegExp][] = [
    ['without a key, and told how to send one', {}, /Authorization: Bearer .*x-api-key/],
    ['with an empty one', { authorization: 'Bearer ', 'x-api-key': ' ' }, /No client key/],
    ['with a scheme that is not Bearer', { authorization: 'first-key' }, /No client key/],
    ['with a wrong key', { authorization: 'Bearer wrong-key' }, /not one of this gateway/],
    ['with the beginning of a right key', { 'x-api-key': 'first-ke' }, /not one of this gateway/],
    ['with two keys at once', { authorization: 'Bearer first-key second-key' }, /No client key/],
  ]
  test.each(rows)('%s', async (_, headers, message) => {
    const refusal = await rejectionOf(authenticate(withHeaders(headers), accepts))
    expect(refusal.code).toBe('invalid_api_key')
    expect(refusal.message).toMatch(message)
  })

  it('without the key being repeated', async () => {
    const refusal = await rejectionOf(authenticate(withHeaders({ 'x-api-key': 'almost-secret' }), accepts))
    expect(refusal.message).not.toContain('almost-secret')
  })

  it('where the gateway asks for keys but knows none', async () => {
    const refusal = await rejectionOf(authenticate(withHeaders({ 'x-api-key': '' }), acceptsClientKey([])))
    expect(refusal.code).toBe('invalid_api_key')
  })
})
