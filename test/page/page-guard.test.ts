import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { pageRefusal } from '../../infra/page/http/page-guard.ts'

const TOKEN = 'a-token-of-this-process'
const asked = (headers: Record<string, string>): IncomingMessage =>
  ({ headers }) as unknown as IncomingMessage
const HOST = { host: '127.0.0.1:4141' }

describe('without a token', () => {
  test.each([
    ['a program', HOST, null],
    ['the page itself', { ...HOST, origin: 'http://127.0.0.1:4141', 'sec-fetch-site': 'same-origin' }, null],
    [
      'a page of another site',
      { ...HOST, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [
      'another page of this machine',
      { ...HOST, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
      403,
    ],
    ['a page without an origin, as in a sandbox', { ...HOST, origin: 'null' }, 403],
    ['an image of another site, which has no origin', { ...HOST, 'sec-fetch-site': 'cross-site' }, 403],
    [
      'a name that was pointed at this machine',
      { host: 'evil.example:4141', origin: 'http://evil.example:4141', 'sec-fetch-site': 'same-origin' },
      403,
    ],
    ['no host', {}, 403],
  ])('%s', (_, headers, status) => {
    expect(pageRefusal(asked(headers), null)?.status ?? null).toBe(status)
  })
})

describe('with a token', () => {
  test.each([
    ['without it', HOST, 401],
    ['with another one', { ...HOST, 'x-backstop-page': 'guessed' }, 401],
    ['with it', { ...HOST, 'x-backstop-page': TOKEN }, null],
    ['with it, under the name of a container', { host: 'gateway:4141', 'x-backstop-page': TOKEN }, null],
    [
      'with it, from another site',
      { ...HOST, 'x-backstop-page': TOKEN, origin: 'https://evil.example' },
      403,
    ],
    [
      'under a name that was pointed at this machine',
      { host: 'evil.example', origin: 'http://evil.example' },
      401,
    ],
  ])('%s', (_, headers, status) => {
    expect(pageRefusal(asked(headers), TOKEN)?.status ?? null).toBe(status)
  })
})
