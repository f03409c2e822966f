import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { callUpstream, createAgents } from '../../../../lambdas/engine/request/upstream/call-upstream.ts'
import { systemClock } from '../../../../lambdas/platform/clock.ts'

it('rejects when the host switches to a protocol that nobody asked for', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const server = createServer(socket =>
    socket.on('error', () => undefined).once('data', () => socket.write(upgrade)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agents = createAgents(Date.now)
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
