import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runCommand, spawnCommand } from '../../operate/run-command.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { PLACES } from './echoes.ts'
import { ENCODINGS, solid, standsIn, worth } from './encodings.ts'
import { KEYS, PROMPT, QUESTIONS } from './planted.ts'

const BROKEN = PLACES['a server error in text']
const NAMES = Object.keys(ENCODINGS)

/** The gateway as `npm start` runs it, with these provider keys. */
async function startProcess(folder: string, config: object, env: Record<string, string>) {
  const file = join(folder, 'gateway.json')
  await writeFile(file, JSON.stringify(config))
  const child = spawnCommand('infra/local/start.ts', ['--port', '0', '--json', '--config', file], env)
  const output = { text: '' }
  const url = await new Promise<string>((resolve, reject) => {
    const take = (text: Buffer): void => {
      output.text += text
      const found = /listens on (\S+)/.exec(output.text)?.[1]
      if (found) resolve(found)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('close', () => reject(new Error(output.text)))
  })
  return { child, output, url }
}

test('the commands and the local pages show neither a key nor a prompt that an upstream repeated', async () => {
  await using folder = {
    path: await mkdtemp(join(tmpdir(), 'backstop-secrecy-')),
    [Symbol.asyncDispose]: () => rm(folder.path, { recursive: true, force: true }),
  }
  const echoes = NAMES.map((name, at) => {
    const key = Object.values(KEYS)[at % Object.keys(KEYS).length] ?? ''
    const encode = ENCODINGS[name] ?? String
    return { key, encode, echo: { key: encode(key), prompt: encode(PROMPT) } }
  })
  await using upstream = await startUpstream(({ body, text }) => {
    const at = Number(String(body.model).slice(1))
    const found = echoes[at]
    return found && BROKEN
      ? BROKEN({ ...found.echo, prompt: text.includes('grandmother') ? found.echo.prompt : '' }, 'chat')
      : { status: 400, body: 'no such case' }
  })
  const providers = Object.fromEntries(NAMES.map((_, at) => [`p${at}`, { baseUrl: upstream.url }]))
  const models = Object.fromEntries(NAMES.map((_, at) => [`a${at}`, { tiers: [[`p${at}/m${at}`]] }]))
  const env = Object.fromEntries(echoes.map(({ key }, at) => [`P${at}_API_KEY`, key]))
  const gateway = await startProcess(folder.path, { providers, models }, env)
  const read = async (path: string): Promise<string> => (await fetch(`${gateway.url}${path}`)).text()
  const seen: string[] = []
  try {
    for (const at of NAMES.keys()) {
      const { path, body } = QUESTIONS.chat(`a${at}`, false, 'x')
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': `r${at}` },
        body: JSON.stringify(body),
      })
      expect(await response.text()).not.toContain('no such case')
    }
    const items = await vi.waitFor(async () => {
      const state = await read('/local/state')
      for (const at of NAMES.keys()) expect(state).toMatch(new RegExp(`p${at}@\\w+/m${at}"`))
      return state
    })
    const pages = [
      '/v1/endpoints',
      '/v1/models',
      '/local/table',
      ...NAMES.map((_, at) => `/local/requests/r${at}`),
    ]
    seen.push(items, ...(await Promise.all(pages.map(read))))
    const commands: [string, string[]][] = [
      ['status', []],
      ['status', ['--json']],
      ['why', ['r3']],
      ['why', ['r8']],
      ['probe', ['p0/m0']],
    ]
    for (const [name, args] of commands) {
      const { stdout, stderr } = await runCommand(`infra/operate/commands/${name}.ts`, [
        ...args,
        '--url',
        gateway.url,
      ])
      expect(stdout + stderr).toMatch(/\bp\d+\/m\d+/)
      seen.push(stdout, stderr)
    }
  } finally {
    gateway.child.kill('SIGTERM')
    await once(gateway.child, 'close')
  }
  expect(gateway.output.text).toContain('request-completed')
  const all = solid([...seen, gateway.output.text].join('\n'))
  for (const [at, { echo, encode }] of echoes.entries()) {
    const left = [standsIn(all, echo.key, worth(encode, 8)), standsIn(all, echo.prompt, worth(encode, 20))]
    expect([NAMES[at], ...left]).toEqual([NAMES[at], null, null])
  }
}, 60_000)
