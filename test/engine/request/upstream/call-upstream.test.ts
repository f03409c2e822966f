import { createServer, type AddressInfo } from 'node:net'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createTurnedClock } from '../../../support/clocks/turned-clock.ts'
import {
  callUpstream,
  createAgents,
  type Agents,
} from '../../../../lambdas/engine/request/upstream/call-upstream.ts'
import { createTestAuthority } from '../../../support/upstreams/test-certificate.ts'
import { systemClock } from '../../../../lambdas/platform/clock.ts'

it('rejects when the host switches to a protocol that nobody asked for', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const server = createServer(socket =>
    socket.on('error', () => undefined).once('data', () => socket.write(upgrade)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agents = createAgents(systemClock)
  const { port } = server.address() as AddressInfo
  const call = {
    method: 'POST' as const,
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    headers: {},
    body: Buffer.from('{}'),
    connectMs: 1_000,
    signal: new AbortController().signal,
  }
  await expect(callUpstream(call, agents, systemClock)).rejects.toMatchObject({ code: 'BACKSTOP_MALFORMED' })
  agents.http.destroy()
  server.close()
})

it('uses a connection again that was idle for half a minute, and none that was for longer', async () => {
  const ports: (number | undefined)[] = []
  const server = createHttpServer((request, response) => {
    ports.push(request.socket.remotePort)
    response.end('ok')
  })
  server.keepAliveTimeout = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const clock = createTurnedClock()
  using _ = clock.stop()
  const agents = createAgents(clock)
  const { port } = server.address() as AddressInfo
  const call = {
    method: 'GET' as const,
    url: `http://127.0.0.1:${port}/v1/models`,
    headers: {},
    body: Buffer.alloc(0),
    connectMs: 1_000,
    signal: new AbortController().signal,
  }
  const ask = async (): Promise<void> => {
    const { body } = await callUpstream(call, agents, clock)
    body.resume()
    await once(body, 'end')
    await expect.poll(() => Object.values(agents.http.freeSockets).flat().length).toBe(1)
  }
  await ask()
  clock.pass(30_000)
  await ask()
  clock.pass(30_001)
  await ask()
  const [first, second, third] = ports
  expect(second).toBe(first)
  expect(third).not.toBe(first)
  agents.http.destroy()
  server.close()
})

/** Sends a call, and reads its answer to the end. */
async function post(url: string, headers: Record<string, string>, agents: Agents): Promise<void> {
  const call = {
    method: 'POST' as const,
    url,
    headers,
    body: Buffer.from('{}'),
    connectMs: 5_000,
    signal: new AbortController().signal,
  }
  const { body } = await callUpstream(call, agents, systemClock)
  body.resume()
  await once(body, 'end')
}

describe('the headers of a call', () => {
  async function received(url: (port: number) => string, headers: Record<string, string>): Promise<string[]> {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    const server = createHttpServer((request, response) => {
      resolve(request.rawHeaders)
      response.end('ok')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const agents = createAgents(systemClock)
    const { port } = server.address() as AddressInfo
    try {
      await post(url(port), headers, agents)
    } finally {
      agents.http.destroy()
      server.close()
    }
    return await promise
  }
  const pairs = (raw: readonly string[]): string[] =>
    raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]?.replace(/:\d+$/, ':PORT')}`] : []))

  it('name the host and how long the body is, once', async () => {
    const sent = await received(port => `http://127.0.0.1:${port}/v1?x=1`, {
      'content-length': '7',
      'x-a': 'b',
    })
    expect(pairs(sent)).toEqual([
      'x-a: b',
      'host: 127.0.0.1:PORT',
      'content-length: 2',
      'Connection: keep-alive',
    ])
  })

  it('have the login of the URL, unless they have a key', async () => {
    const url = (port: number): string => `http://me:s%20cret@127.0.0.1:${port}/v1`
    expect(pairs(await received(url, {}))).toContain('authorization: Basic bWU6cyBjcmV0')
    const keyed = pairs(await received(url, { authorization: 'Bearer k' }))
    expect(keyed.filter(header => header.startsWith('authorization'))).toEqual(['authorization: Bearer k'])
  })

  it('are no place to begin another header', async () => {
    await expect(received(port => `http://127.0.0.1:${port}/v1`, { 'x-a': 'b\r\nx-c: d' })).rejects.toThrow(
      'Invalid character',
    )
  })
})

describe('an encrypted call asks for the host', () => {
  async function nameAskedFor(host: string, headers: Record<string, string>): Promise<string | false> {
    const authority = createTestAuthority()
    const server = createHttpsServer(authority.certificateFor(host), (_, response) => void response.end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const asked = once(server, 'secureConnection') as Promise<[TLSSocket]>
    const agents = createAgents(systemClock)
    agents.https.options.ca = authority.cert
    try {
      await post(`https://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, headers, agents)
      const [{ servername }] = await asked
      return servername ?? false
    } finally {
      agents.https.destroy()
      server.close()
    }
  }

  it('that a header names, as a collector behind an address has one', async () => {
    expect(await nameAskedFor('collector.example', { host: 'collector.example' })).toBe('collector.example')
    expect(await nameAskedFor('collector.example', { host: 'collector.example:4318' })).toBe(
      'collector.example',
    )
  })

  it('by no name where it is an address', async () => {
    expect(await nameAskedFor('127.0.0.1', {})).toBe(false)
    expect(await nameAskedFor('127.0.0.1', { host: '127.0.0.1:4318' })).toBe(false)
  })
})
