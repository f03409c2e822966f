import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand, spawnCommand } from '../operate/run-command.ts'

const START = 'infra/local/start.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backstop-start-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function writeConfig(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

/** Starts the gateway on a free port; resolves when its banner names the address. */
async function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = spawnCommand(START, ['--port', '0', ...args], env)
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const output = { stdout: '', stderr: '' }
  const url = await new Promise<string>((resolve, reject) => {
    const take = (stream: 'stdout' | 'stderr') => (text: Buffer) => {
      output[stream] += text
      const found = /listens on (\S+)/.exec(output.stdout + output.stderr)?.[1]
      if (found) resolve(found)
    }
    child.stdout?.on('data', take('stdout'))
    child.stderr?.on('data', take('stderr'))
    child.once('close', () => reject(new Error(`the gateway did not start: ${output.stderr}`)))
  })
  return { child, output, url }
}

test('with --json, stdout carries structured lines alone, and no key is printed', async () => {
  const key = 'sk-not-to-be-printed'
  const { child, output, url } = await start(['--json'], { OPENAI_API_KEY: '', GROQ_API_KEY: key })
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'one' },
    body: JSON.stringify({ model: 'demo-rate-limited', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(response.status).toBe(200)
  await response.text()
  const why = await runCommand('infra/operate/commands/why.ts', ['one', '--url', url])
  expect(why.stdout).toContain('Answered by simulated/well')
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  const lines = output.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { event: string })
  expect(lines.filter(({ event }) => event === 'request-completed')).toMatchObject([{ requestId: 'one' }])
  expect(output.stdout + output.stderr).not.toContain(key)
})

test('a configuration of another gateway runs as it is, with the keys that it names', async () => {
  const text = `
model_list:
  - { model_name: a, litellm_params: { model: groq/llama-3.1-8b-instant } }
  - { model_name: b, litellm_params: { model: vertex_ai/gemini-2.5-pro } }
general_settings: { master_key: sk-of-the-clients, database_url: postgresql://db }
`
  const { child, output, url } = await start(['--config', await writeConfig('litellm.yaml', text)])
  const ask = (key: string): Promise<Response> =>
    fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  expect((await ask('sk-another')).status).toBe(401)
  expect(await (await ask('sk-of-the-clients')).text()).toMatch(/"id":"a"/)
  child.kill('SIGTERM')
  await once(child, 'close')
  expect(output.stdout).toMatch(
    /litellm.yaml is a configuration of LiteLLM.*b: calls are signed.*database_url/s,
  )
  expect(output.stdout).not.toContain('sk-of-the-clients')
})

describe('what cannot be started is explained without a stack', () => {
  test.each([
    [
      'an unknown provider',
      'unknown.json',
      '{"models":{"a":{"tiers":[["opnai/gpt-4o"]]}}}',
      /opnai.*openai/s,
    ],
    ['JSON that is none', 'broken.json', '{"models":', /broken\.json cannot be read as JSON/],
    ['a module that throws', 'throws.mjs', 'throw new Error("boom")', /Cannot load .*throws\.mjs: boom/],
    ['a module without a default export', 'empty.mjs', '', /configuration has one problem/],
  ])('%s', async (_title, name, text, expected) => {
    const file = await writeConfig(name, text)
    const { code, stderr } = await runCommand(START, ['--port', '0', '--config', file])
    expect(code).toBe(1)
    expect(stderr).toMatch(expected)
    expect(stderr).not.toContain('    at ')
  })

  test('an option that npm took for its own', async () => {
    const npm = { npm_lifecycle_event: 'start', npm_config_port: 'true' }
    const { code, stderr } = await runCommand(START, ['5000'], npm)
    expect([code, stderr]).toEqual([
      1,
      'npm took --port for an option of its own. Write: npm start -- --port 5000\n',
    ])
  })

  test('a port that is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const { code, stderr } = await runCommand(START, ['--port', port])
    holder.close()
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} is already in use: perhaps the gateway runs already. Choose another one: npm start -- --port ${Number(port) + 1}\n`,
    ])
  })

  test.each([
    ['a file that is missing', ['--config', 'missing.json'], /Cannot read .*missing\.json/],
    ['a port that is none', ['--port', 'abc'], /--port abc: expected a number/],
    ['an unknown option', ['--prot', '1'], /--prot/],
  ])('%s', async (_title, args, expected) => {
    const { code, stderr } = await runCommand(START, args)
    expect(code).toBe(1)
    expect(stderr).toMatch(expected)
    expect(stderr).not.toContain('    at ')
  })
})

test('a configuration in TypeScript is loaded', async () => {
  const text = `export default { models: { mine: { tiers: [['openai/gpt-4o' as string]] } } }`
  const { child, url } = await start(['--config', await writeConfig('mine.ts', text)])
  const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
  expect(models.data[0]?.id).toBe('mine')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})

test('Ctrl-C lets an answer end, although a launcher passes the same signal on', async () => {
  const { child, url } = await start()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/)
  expect(await once(child, 'close')).toEqual([0, null])
})
