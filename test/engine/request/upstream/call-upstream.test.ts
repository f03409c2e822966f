import { createServer, type AddressInfo } from 'node:net'
import { createServer as createHttpServer } from 'node:http'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { createTurnedClock } from '../../../support/clocks/turned-clock.ts'
import { callUpstream, createAgents } from '../../../../lambdas/engine/request/upstream/call-upstream.ts'
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
