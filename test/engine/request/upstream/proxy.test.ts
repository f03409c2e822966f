import { createServer } from 'node:net'
import { setDefaultCACertificates, getCACertificates } from 'node:tls'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readProxies } from '../../../../lambdas/config/read-proxies.ts'
import {
  callUpstream,
  closeAgents,
  createAgents,
  type UpstreamCall,
} from '../../../../lambdas/engine/request/upstream/call-upstream.ts'
import { systemClock } from '../../../../lambdas/platform/clock.ts'
import { closedPort } from '../../../support/upstreams/closed-port.ts'
import { listenOnLoopback } from '../../../support/upstreams/listen-on-loopback.ts'
import { startUpstream } from '../../../support/upstreams/scripted-upstream.ts'
import { createTestAuthority } from '../../../support/upstreams/test-certificate.ts'
import { startTestProxy } from '../../../support/upstreams/test-proxy.ts'
import { createVirtualClock } from '../../../support/clocks/virtual-clock.ts'

const authority = createTestAuthority()
const usual = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...usual, authority.cert]))
afterAll(() => setDefaultCACertificates(usual))

const HOST = 'llm.example.test'
const certificate = authority.certificateFor(HOST)

const post = (url: string, rest: Partial<UpstreamCall> = {}): UpstreamCall => ({
  method: 'POST',
  url,
  headers: { authorization: 'Bearer sk-key' },
  body: Buffer.from('{"model":"m"}'),
  connectMs: 5_000,
  signal: new AbortController().signal,
  ...rest,
})

/** Calls once, and lets go of everything. */
async function callOnce(url: string, env: Record<string, string>, clock = systemClock): Promise<string> {
  const agents = createAgents(clock, readProxies(env).proxyFor)
  try {
    const { status, body } = await callUpstream(post(url), agents, clock)
    return `${status} ${await text(body)}`
  } finally {
    closeAgents(agents)
  }
}

describe('through a proxy', () => {
  it('keeps the tunnel to an https host open for the next call, and opens a new one where it must be fresh', async () => {
    await using upstream = await startUpstream([{ body: { ok: true } }], { tls: certificate })
    await using proxy = await startTestProxy({
      login: 'me:p%40ss',
      hosts: { [`${HOST}:443`]: upstream.port },
    })
    const { proxyFor } = readProxies({ HTTPS_PROXY: proxy.url.replace('p%40ss', 'p%2540ss') })
    const agents = createAgents(systemClock, proxyFor)
    const call = post(`https://${HOST}/v1/chat/completions`)
    for (const fresh of [false, false, true]) {
      const { status, body } = await callUpstream({ ...call, fresh }, agents, systemClock)
      expect([status, await text(body)]).toEqual([200, '{"ok":true}'])
      if (!fresh) await expect.poll(() => Object.values(agents.https.freeSockets).flat().length).toBe(1)
    }
    expect(proxy.asked).toEqual([`CONNECT ${HOST}:443`, `CONNECT ${HOST}:443`])
    expect(upstream.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    closeAgents(agents)
    await expect.poll(() => proxy.open).toBe(0)
  })

  it('tells the proxy the whole URL of a plain host', async () => {
    await using upstream = await startUpstream([{ body: { ok: true } }])
    await using proxy = await startTestProxy({ login: 'me:secret', hosts: { [HOST]: upstream.port } })
    const answer = await callOnce(`http://${HOST}/v1/models`, { http_proxy: proxy.url })
    expect(answer).toBe('200 {"ok":true}')
    expect(proxy.asked).toEqual([`POST http://${HOST}/v1/models`])
    expect(upstream.requests[0]?.headers.host).toBe(HOST)
  })

  it('goes past the proxy to what NO_PROXY lists, and always to this machine', async () => {
    await using upstream = await startUpstream([{ body: { ok: true } }])
    await using proxy = await startTestProxy({})
    expect(await callOnce(upstream.url, { HTTP_PROXY: proxy.url })).toBe('200 {"ok":true}')
    expect(proxy.asked).toEqual([])
  })

  it('says that nobody trusts the authority of a certificate', async () => {
    await using upstream = await startUpstream(
      {},
      { tls: createTestAuthority('A stranger').certificateFor(HOST) },
    )
    await using proxy = await startTestProxy({ hosts: { [`${HOST}:443`]: upstream.port } })
    await expect(callOnce(`https://${HOST}/v1`, { HTTPS_PROXY: proxy.url })).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    })
  })
})

describe('a proxy that is itself in the way', () => {
  const ownNetwork = async (env: Record<string, string>, url = `https://${HOST}/v1`): Promise<string> => {
    const error: unknown = await callOnce(url, env).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'BACKSTOP_PROXY' })
    return String(error)
  }

  it('asks for a password', async () => {
    await using proxy = await startTestProxy({ login: 'me:right' })
    const env = {
      HTTPS_PROXY: proxy.url.replace('right', 'wrong'),
      HTTP_PROXY: proxy.url.replace('right', 'wrong'),
    }
    const said = `ProxyError: The proxy http://127.0.0.1:${proxy.port} requires a user and a password (407): write them into its address, before the host and an @`
    expect(await ownNetwork(env)).toBe(said)
    expect(await ownNetwork(env, `http://${HOST}/v1`)).toBe(said)
  })

  it('is down', async () => {
    const port = await closedPort()
    const env = { ALL_PROXY: `127.0.0.1:${port}` }
    const said = `ProxyError: The proxy http://127.0.0.1:${port} cannot be reached (ECONNREFUSED)`
    expect(await ownNetwork(env)).toBe(said)
    expect(await ownNetwork(env, `http://${HOST}/v1`)).toBe(said)
  })

  it.each([
    ['hangs up', (socket: { end(): void }) => socket.end(), /broke the connection \(ECONNRESET\)/],
    [
      'forbids the host',
      (socket: { end(text: string): void }) => socket.end('HTTP/1.1 403 No\r\n\r\n'),
      /refuses to connect to the host \(403\)/,
    ],
    [
      'is no proxy',
      (socket: { end(text: string): void }) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      /does not answer as an HTTP proxy \(HPE_/,
    ],
  ])('%s', async (_, instead, said) => {
    await using proxy = await startTestProxy({ instead })
    expect(await ownNetwork({ HTTPS_PROXY: proxy.url })).toMatch(said)
  })

  it('never answers', async () => {
    const clock = createVirtualClock()
    await using proxy = await startTestProxy({ instead: () => clock.pass(5_000) })
    const error: unknown = await callOnce(`https://${HOST}/v1`, { HTTPS_PROXY: proxy.url }, clock).catch(
      (thrown: unknown) => thrown,
    )
    expect(String(error)).toMatch(/^ProxyError: The proxy .* did not connect in time$/)
    await expect.poll(() => proxy.open).toBe(0)
  })
})

it('says which host a working proxy cannot reach, and that is not the proxy', async () => {
  await using proxy = await startTestProxy({})
  await expect(callOnce('https://gone.example.test/v1', { HTTPS_PROXY: proxy.url })).rejects.toMatchObject({
    code: 'BACKSTOP_PROXY_UNREACHED',
    message: `The proxy http://127.0.0.1:${proxy.port} cannot reach the host (502)`,
  })
})

it('ends a tunnel whose host never finishes the handshake', async () => {
  const clock = createVirtualClock()
  const mute = createServer(socket =>
    socket.on('error', () => undefined).once('data', () => clock.pass(5_000)),
  )
  await using proxy = await startTestProxy({ hosts: { [`${HOST}:443`]: await listenOnLoopback(mute) } })
  await expect(callOnce(`https://${HOST}/v1`, { HTTPS_PROXY: proxy.url }, clock)).rejects.toMatchObject({
    code: 'BACKSTOP_CONNECT_TIMEOUT',
  })
  await expect.poll(() => proxy.open).toBe(0)
  mute.close()
})
