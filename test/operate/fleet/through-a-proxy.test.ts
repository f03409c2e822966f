import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callGateway } from '../../../infra/operate/fleet/call-gateway.ts'
import { findStack } from '../../../infra/operate/fleet/find-stack.ts'
import { gatewayAddress } from '../../../infra/operate/fleet/gateway-address.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { createTestAuthority } from '../../support/upstreams/test-certificate.ts'
import { startTestProxy } from '../../support/upstreams/test-proxy.ts'

const authority = createTestAuthority()
const usual = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...usual, authority.cert]))
afterAll(() => setDefaultCACertificates(usual))

const GATEWAY = 'https://gateway.example.test'

it('calls a gateway outside through the proxy, and says where the proxy is in the way', async () => {
  const tls = authority.certificateFor('gateway.example.test')
  await using upstream = await startUpstream([{ body: { data: [] } }], { tls })
  await using proxy = await startTestProxy({ hosts: { 'gateway.example.test:443': upstream.port } })
  const address = gatewayAddress({ HTTPS_PROXY: proxy.url, BACKSTOP_CLIENT_KEY: 'k' }, GATEWAY)
  const response = await callGateway(address, '/v1/endpoints')
  expect([response.status, await response.json()]).toEqual([200, { data: [] }])
  expect(upstream.requests[0]?.headers['x-api-key']).toBe('k')
  const port = await closedPort()
  await expect(
    callGateway(gatewayAddress({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, GATEWAY), '/healthz'),
  ).rejects.toThrow(
    `No answer of the gateway at ${GATEWAY}. The proxy http://127.0.0.1:${port} cannot be reached (ECONNREFUSED).`,
  )
})

it('calls AWS through the proxy', async () => {
  await using proxy = await startTestProxy({ login: 'me:right' })
  const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  Object.assign(process.env, credentials)
  const variables = {
    ...credentials,
    AWS_REGION: 'eu-west-1',
    HTTPS_PROXY: proxy.url.replace('right', 'wrong'),
  }
  await expect(findStack({ stack: 'Backstop-prod' }, variables)).rejects.toThrow(
    `AWS cannot be reached in eu-west-1: The proxy http://127.0.0.1:${proxy.port} requires a user and a password (407)`,
  )
  expect(proxy.asked[0]).toBe('CONNECT cloudformation.eu-west-1.amazonaws.com:443')
  for (const name of Object.keys(credentials)) delete process.env[name]
})
