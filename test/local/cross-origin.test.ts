import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isLocalCall, originRefusal } from '../../infra/local/cross-origin.ts'

type Call = { from?: string; url?: string; headers?: Record<string, string> }

function callOf({ from = '127.0.0.1', url = '/v1/models', headers = {} }: Call): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: from })
  return Object.assign(new IncomingMessage(socket), {
    url,
    headers: { host: '127.0.0.1:4141', ...headers },
  })
}

describe('who may look into the gateway', () => {
  test.each<[string, Call]>([
    ['a program here', {}],
    ['one that uses IPv6', { from: '::1', headers: { host: '[::1]:4141' } }],
    ['one on a socket for both', { from: '::ffff:127.0.0.1', headers: { host: 'localhost:4141' } }],
  ])('%s', (_, call) => expect(isLocalCall(callOf(call))).toBe(true))

  test.each<[string, Call]>([
    ['another machine', { from: '192.168.1.9', headers: { host: '192.168.1.5:4141' } }],
    ['another machine that names this one', { from: '192.168.1.9' }],
    ['a page that has a name for this machine', { headers: { host: 'rebound.example.com:4141' } }],
    ['a call that a reverse proxy passes on', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
    ['another one', { headers: { forwarded: 'for=203.0.113.7' } }],
  ])('not %s', (_, call) => expect(isLocalCall(callOf(call))).toBe(false))
})

describe('a gateway that is open to the network', () => {
  const isOpen = { keyed: true, isOpen: true }

  test('serves under any name', () => {
    expect(originRefusal(callOf({ from: '10.0.0.9', headers: { host: 'gateway.lan' } }), isOpen)).toBeNull()
  })

  test.each(['/local/table', '/local', '/local/probe?x=1'])('keeps %s for itself', url => {
    const elsewhere = { url, from: '10.0.0.9', headers: { host: 'gateway.lan' } }
    expect(originRefusal(callOf(elsewhere), isOpen)).toMatch(
      /^The routes under \/local serve programs on the machine/,
    )
    expect(originRefusal(callOf({ url }), isOpen)).toBeNull()
  })
})
