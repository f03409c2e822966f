import { describe, expect, it, test } from 'vitest'
import { createClientOf } from '../../../lambdas/keys/client-of.ts'
import { callerOf } from '../../../lambdas/http/middleware/authenticate.ts'
import { functionUrlEvent } from '../../support/function-url-event.ts'
import { rejectionOf } from '../refusal-of.ts'

const clientOf = createClientOf([
  ['default', 'first-key'],
  ['billing-app', 'second-key'],
])
const ready = () => Promise.resolve(true)
const KEYS = { clientOf, ready }
const OPEN = { clientOf: null, ready }
const withHeaders = (headers: Record<string, string>) => functionUrlEvent({ headers })

describe('a caller is let in, and has a name', () => {
  test.each([
    ['with a bearer key', { authorization: 'Bearer first-key' }, 'default'],
    ['with another key', { authorization: 'Bearer second-key' }, 'billing-app'],
    ['however the scheme is written', { authorization: 'bearer   first-key ' }, 'default'],
    ['with x-api-key', { 'x-api-key': 'second-key' }, 'billing-app'],
    [
      'with x-api-key beside a foreign scheme',
      { authorization: 'Basic abc', 'x-api-key': 'first-key' },
      'default',
    ],
    [
      'with one right key of two',
      { authorization: 'Bearer wrong', 'x-api-key': 'second-key' },
      'billing-app',
    ],
  ])('%s', async (_, headers, name) => {
    expect(await callerOf(withHeaders(headers), KEYS)).toEqual({ name })
  })

  it('without a key where the gateway has none', async () => {
    expect(await callerOf(withHeaders({}), OPEN)).toEqual({ name: 'loopback' })
  })

  test.each([
    ['arn:aws:sts::123456789012:assumed-role/billing/session-1', '123456789012:assumed-role/billing'],
    ['arn:aws-cn:sts::123456789012:assumed-role/billing/session-2', '123456789012:assumed-role/billing'],
    ['arn:aws:iam::123456789012:user/team/ann', '123456789012:user/team/ann'],
    ['arn:aws:iam::123456789012:root', '123456789012:root'],
  ])('as the identity that the platform has verified: %s', async (userArn, name) => {
    const event = withHeaders({ authorization: 'AWS4-HMAC-SHA256 …' })
    Object.assign(event.requestContext, { authorizer: { iam: { userArn } } })
    expect(await callerOf(event, OPEN)).toEqual({ name })
  })

  it('once the keys are there, where they have to be fetched', async () => {
    const fetched = { clientOf: (presented: string) => Promise.resolve(clientOf(presented)), ready }
    expect(await callerOf(withHeaders({ 'x-api-key': 'first-key' }), fetched)).toEqual({ name: 'default' })
    const refusal = await rejectionOf(callerOf(withHeaders({ 'x-api-key': 'wrong' }), fetched))
    expect(refusal.code).toBe('invalid_api_key')
  })
})

describe('a caller is turned away', () => {
  const rows: [string, Record<string, string>, RegExp][] = [
    ['without a key, and told how to send one', {}, /Authorization: Bearer .*x-api-key/],
    ['with an empty one', { authorization: 'Bearer ', 'x-api-key': ' ' }, /No client key/],
    ['with a scheme that is not Bearer', { authorization: 'first-key' }, /No client key/],
    ['with a wrong key', { authorization: 'Bearer wrong-key' }, /^Invalid client key\.$/],
    ['with the beginning of a right key', { 'x-api-key': 'first-ke' }, /^Invalid client key\.$/],
    ['with two keys at once', { authorization: 'Bearer first-key second-key' }, /No client key/],
  ]
  test.each(rows)('%s', async (_, headers, message) => {
    const refusal = await rejectionOf(callerOf(withHeaders(headers), KEYS))
    expect(refusal.code).toBe('invalid_api_key')
    expect(refusal.message).toMatch(message)
  })

  it('without the key being repeated', async () => {
    const refusal = await rejectionOf(callerOf(withHeaders({ 'x-api-key': 'almost-secret' }), KEYS))
    expect(refusal.message).not.toContain('almost-secret')
  })

  it('where the gateway asks for keys but knows none', async () => {
    const none = { clientOf: createClientOf([]), ready }
    const refusal = await rejectionOf(callerOf(withHeaders({ 'x-api-key': '' }), none))
    expect(refusal.code).toBe('invalid_api_key')
  })

  it('for now, while the keys cannot be read; one who shows none need not wait for that', async () => {
    const unread = { clientOf, ready: () => Promise.resolve(false) }
    const refusal = await rejectionOf(callerOf(withHeaders({ 'x-api-key': 'first-key' }), unread))
    expect(refusal.code).toBe('keys_unavailable')
    expect((await rejectionOf(callerOf(withHeaders({}), unread))).code).toBe('invalid_api_key')
  })
})
