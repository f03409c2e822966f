import { afterEach, describe, expect, test } from 'vitest'
import type { LocalServer } from '../../infra/local/loopback-server.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'
import { closedPort } from '../support/upstreams/closed-port.ts'
import { runCommand } from './run-command.ts'
import { startScriptedGateway } from './scripted-gateway.ts'

const COMMANDS = ['status', 'probe', 'release', 'quarantine', 'set'] as const

let gateway: LocalServer | undefined
afterEach(() => gateway?.close())

const argsFor = (command: string, url: string): string[] =>
  command === 'release' || command === 'quarantine' ? ['a/b', '--url', url] : ['--url', url]

describe.each(COMMANDS)('%s', command => {
  const run = (url: string) => runCommand(`infra/operate/commands/${command}.ts`, argsFor(command, url))

  test('says how to start a gateway that is not running', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const stderr = `No gateway at ${url}. Start it in another terminal: npm start\n`
    expect(await run(url)).toEqual({ code: 1, stdout: '', stderr })
  })

  test('says that a gateway was not started with npm start', async () => {
    gateway = await startScriptedGateway((_request, response) => void response.writeHead(404).end('{}'))
    const { code, stderr } = await run(gateway.url)
    expect([code, stderr]).toEqual([1, expect.stringContaining('was not started with npm start')])
  })

  test('explains itself', async () => {
    const { code, stdout } = await runCommand(`infra/operate/commands/${command}.ts`, ['--help'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: npm run ${command} -- `)])
  })
})

test('a table that cannot be reached is told in one line', async () => {
  const endpoint = `http://127.0.0.1:${await closedPort()}`
  const facts = { endpoint, table: 'backstop', settings: DEFAULT_SETTINGS, endpoints: [], warnings: [] }
  gateway = await startScriptedGateway((_request, response) => void response.end(JSON.stringify(facts)))
  const { code, stderr } = await runCommand('infra/operate/commands/set.ts', ['--url', gateway.url])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^The state table at \S+ cannot be used: reading the state failed: \S+\.\n$/),
  ])
})
