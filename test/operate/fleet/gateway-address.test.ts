import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gatewayAddress } from '../../../infra/operate/fleet/gateway-address.ts'
import { readDotEnv } from '../../../infra/terminal/read-dot-env.ts'

const LOCAL = 'http://127.0.0.1:4141'

test.each([
  ['nothing', {}, undefined, { url: LOCAL, clientKey: null }],
  [
    'empty variables',
    { BACKSTOP_URL: '', BACKSTOP_CLIENT_KEYS: '' },
    undefined,
    { url: LOCAL, clientKey: null },
  ],
  [
    'a URL in the environment',
    { BACKSTOP_URL: 'https://a/' },
    undefined,
    { url: 'https://a', clientKey: null },
  ],
  ['an option, which wins', { BACKSTOP_URL: 'https://a' }, 'http://b', { url: 'http://b', clientKey: null }],
  [
    'several client keys',
    { BACKSTOP_CLIENT_KEYS: ' one , two' },
    undefined,
    { url: LOCAL, clientKey: 'one' },
  ],
  [
    'one client key, which wins',
    { BACKSTOP_CLIENT_KEY: 'mine', BACKSTOP_CLIENT_KEYS: 'one' },
    undefined,
    { url: LOCAL, clientKey: 'mine' },
  ],
])('%s leads to the gateway', (_title, environment, option, expected) => {
  const { call, ...address } = gatewayAddress(environment, option)
  expect(address).toEqual({ ...expected, proxyFor: null })
  expect(call('status')).toBe(option === undefined ? 'npm run status' : `npm run status -- --url ${option}`)
})

test.each(['localhost:4141', 'file:///etc', 'nonsense'])('%s is no address', url => {
  expect(() => gatewayAddress({}, url)).toThrow('is not an http(s) URL')
})

test('a .env file adds to the environment and never replaces what is set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-env-'))
  await writeFile(join(folder, '.env'), 'GROQ_API_KEY=from-file\nOPENAI_API_KEY="from file"\n# a comment\n')
  const environment = { GROQ_API_KEY: 'set', OTHER: 'kept' }
  expect(readDotEnv(folder, environment)).toEqual({ ...environment, OPENAI_API_KEY: 'from file' })
  await rm(folder, { recursive: true })
  expect(readDotEnv(folder, environment)).toEqual(environment)
})
