import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type LocalServer, listenLocally } from '../../infra/local/loopback-server.ts'

const running: LocalServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()))
})

/** A server whose answer begins at once and ends when the test says so. */
async function startHalfway() {
  const gate = Promise.withResolvers<void>()
  const http = createServer(async (_request, response) => {
    response.write('first ')
    await gate.promise
    response.end('last')
  })
  const server = await listenLocally(http, 0)
  running.push(server)
  return { server, finish: gate.resolve }
}

describe('closing', () => {
  test('lets a running answer come to its end and accepts no more', async () => {
    const { server, finish } = await startHalfway()
    const response = await fetch(server.url)
    const closed = server.close(10_000)
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
    finish()
    expect(await response.text()).toBe('first last')
    await closed
  })

  test('cuts what is left after the grace', async () => {
    const { server } = await startHalfway()
    const response = await fetch(server.url)
    await server.close(1)
    await expect(response.text()).rejects.toThrow('terminated')
  })
})

test('a taken port is reported in words', async () => {
  const { server } = await startHalfway()
  await expect(listenLocally(createServer(), server.port)).rejects.toThrow(
    `Port ${server.port} is already in use`,
  )
})
