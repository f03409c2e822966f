import { expect, it } from 'vitest'
import { closedPort } from '../../../support/upstreams/closed-port.ts'
import { chatCompletion } from '../../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../../support/upstreams/scripted-upstream.ts'
import { startTestProxy } from '../../../support/upstreams/test-proxy.ts'
import { configOf, startGateway } from '../../../support/start-gateway.ts'

const ask = (url: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] }),
  })

async function firstRow(url: string): Promise<unknown> {
  const { data } = (await (await fetch(`${url}/v1/endpoints`)).json()) as { data: unknown[] }
  return data[0]
}

const OUTSIDE = 'https://llm.example.test/v1'

it('blames no endpoint for a proxy that is down, and falls back to what needs none', async () => {
  await using local = await startUpstream([chatCompletion('OK')])
  const port = await closedPort()
  await using gateway = await startGateway(
    configOf({ outside: OUTSIDE, local: local.url }, [['outside/m'], ['local/m']]),
    { HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` },
  )
  for (let call = 0; call < 8; call += 1) {
    const response = await ask(gateway.url)
    expect([response.status, response.headers.get('x-backstop-chain')]).toEqual([
      200,
      expect.stringMatching(/^outside\/m;network;;\d+ > local\/m;ok;200;\d+$/),
    ])
    await response.text()
  }
  await gateway.settled()
  const probed = await gateway.probe()
  const row = await firstRow(gateway.url)
  expect(row).toMatchObject({ endpoint: 'outside/m', health: 'healthy' })
  expect(JSON.stringify(row)).not.toMatch(/open/)
  expect(probed.probes).toEqual([])
  expect(gateway.lines.filter(({ event }) => event === 'network-suspect').length).toBeGreaterThanOrEqual(8)
  expect(JSON.stringify(gateway.lines)).toContain(`The proxy http://[ip]:${port} cannot be reached`)
  expect(JSON.stringify(gateway.lines)).not.toContain('secret')
})

it('names the proxy to the client where nothing else is left', async () => {
  await using proxy = await startTestProxy({ login: 'me:right' })
  await using gateway = await startGateway(configOf({ outside: OUTSIDE }, [['outside/m']]), {
    HTTPS_PROXY: proxy.url.replace('right', 'wrong'),
  })
  const response = await ask(gateway.url)
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect([response.status, error.code]).toEqual([502, 'upstream_failed'])
  expect(error.message).toContain(
    `outside/m: network The proxy http://[ip]:${proxy.port} requires a user and a password (407)`,
  )
  expect(error.message).not.toMatch(/wrong|right/)
})

it('counts what a working proxy cannot reach against the host', async () => {
  await using proxy = await startTestProxy({})
  await using gateway = await startGateway(configOf({ outside: OUTSIDE }, [['outside/m']]), {
    HTTPS_PROXY: proxy.url,
  })
  for (let call = 0; call < 4; call += 1) await (await ask(gateway.url)).text()
  await gateway.settled()
  const row = await firstRow(gateway.url)
  expect(JSON.stringify(row)).toMatch(/open/)
})
