import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { request } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { knownNames } from '../../../infra/operate/completion/known-names.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { runCommand } from '../../operate/run-command.ts'

const start = (variables: Record<string, string>): Promise<LocalGateway> =>
  startLocalGateway({
    config: parseGatewayConfig({
      providers: { only: { baseUrl: 'http://127.0.0.1:9/v1', key: false } },
      models: { 'of-this-test': { tiers: [['only/m']] } },
    }),
    variables,
    port: 0,
    memory: createRequestMemory(),
    log: () => {},
    onHandlerError: error => expect.fail(String(error)),
  })

let keyed: LocalGateway
let open: LocalGateway
beforeAll(async () => {
  keyed = await start({ BACKSTOP_CLIENT_KEYS: 'one,two' })
  open = await start({})
})
afterAll(() => Promise.all([keyed.close(), open.close()]))

/** As a reverse proxy on this machine calls that adds nothing of its own: nginx with `proxy_pass` alone. */
function passedOn(url: string, method: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url)
    const call = request(url, { method, headers: { ...headers, host, connection: 'close' } }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    call.once('error', reject).end()
  })
}

const ROUTES = [
  ['GET', '/local/table'],
  ['GET', '/local/state'],
  ['GET', '/local/requests'],
  ['GET', '/local/requests/x'],
  ['GET', '/local'],
  ['GET', '/local/page/requests'],
  ['POST', '/local/probe'],
] as const

test.each(ROUTES)('with client keys, %s %s needs one', async (method, path) => {
  const { url } = keyed.facts
  expect(await passedOn(url + path, method)).toBe(401)
  expect(await passedOn(url + path, method, { 'x-api-key': 'three' })).toBe(401)
  expect(await passedOn(url + path, method, { authorization: 'Bearer three' })).toBe(401)
})

test('with one of them they answer, and a gateway without any asks for none', async () => {
  for (const headers of [{ 'x-api-key': 'two' }, { authorization: 'bearer one' }] as Record<string, string>[])
    expect(await passedOn(`${keyed.facts.url}/local/table`, 'GET', headers)).toBe(200)
  expect(await passedOn(`${open.facts.url}/local/table`, 'GET')).toBe(200)
})

test('commands find the key in .env, and say what to set without one; completion finds it too', async () => {
  await using folder = {
    path: await mkdtemp(join(tmpdir(), 'backstop-client-key-')),
    [Symbol.asyncDispose]: () => rm(folder.path, { recursive: true, force: true }),
  }
  const { url } = keyed.facts
  const probe = 'infra/operate/commands/probe.ts'
  const refused = await runCommand(probe, ['--url', url], {}, { cwd: folder.path })
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /routes under \/local need one of them.* Set BACKSTOP_CLIENT_KEY, or use --key KEY/s,
    ),
  ])
  await writeFile(join(folder.path, '.env'), 'BACKSTOP_CLIENT_KEYS=one,two\n')
  const allowed = await runCommand(probe, ['--url', url], {}, { cwd: folder.path })
  expect([allowed.code, allowed.stdout]).toEqual([0, 'Nothing to probe: every endpoint is healthy.\n'])
  const address = { url, call: callsAbout({ url }) }
  const known = await knownNames({ ...address, clientKey: 'two' })
  expect(known).toMatchObject({ endpoint: ['only/m'], model: ['of-this-test'] })
  expect((await knownNames({ ...address, clientKey: null })).endpoint).not.toContain('only/m')
})
