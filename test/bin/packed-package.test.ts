import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

let folder: string
let bin: string

const packed = (): string[] => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }]
  return files.map(({ path }) => path)
}

let files: string[]

// As npm would install it: below node_modules, where Node strips no types, with what it depends on beside it.
beforeAll(() => {
  files = packed()
  folder = mkdtempSync(join(tmpdir(), 'packed-'))
  const home = join(folder, 'node_modules', 'backstop')
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    cpSync(file, join(home, file))
  }
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  bin = join(home, 'infra/bin/backstop.js')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: readonly string[], options: readonly string[] = []) => {
  const child = spawn(process.execPath, [...options, bin, ...args], { cwd: folder, stdio: 'pipe' })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', text => void (output.stdout += text))
  child.stderr.on('data', text => void (output.stderr += text))
  const closed = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
  return { child, output, closed }
}

it('holds the source of the gateway and its commands, and nothing else', () => {
  const odd = files.filter(
    path =>
      !/^(?:(?:infra|lambdas)\/.*\.(?:ts|js|md|json|html|css|svg)|README\.md|LICENSE|package\.json)$/.test(
        path,
      ),
  )
  expect(odd).toEqual([])
  expect(files.filter(path => /\.env|cdk|constructs|\.test\.|^test/.test(path))).toEqual([])
  expect(files.filter(path => path.startsWith('infra/operate/commands/'))).toHaveLength(
    readdirSync('infra/operate/commands').length,
  )
})

it('starts a gateway, asks it and stops it, with its own name in every message', async () => {
  const gateway = run(['start', '--port', '0'])
  await expect
    .poll(() => /listens on (\S+)[^]*Try it:/.test(gateway.output.stdout), { timeout: 60_000 })
    .toBe(true)
  const [, url = ''] = /listens on (\S+)/.exec(gateway.output.stdout) ?? []
  const page = await (await fetch(`${url}/`)).text()
  expect(page).toContain('<html')
  const asked = await run(['ask', 'What is a backstop?', '--url', url]).closed
  expect([asked.code, asked.stderr]).toEqual([0, ''])
  expect(asked.stdout).toMatch(/simulated answer[^]*\nbackstop why \S+\n$/)
  gateway.child.kill('SIGTERM')
  const { code, stderr } = await gateway.closed
  expect([code, stderr]).toEqual([0, ''])
})

it('lists its commands, and names what is none of them', async () => {
  const [help, wrong, why] = await Promise.all([
    run([]).closed,
    run(['strat']).closed,
    run(['why', '--help']).closed,
  ])
  expect(help.stdout).toMatch(/^Usage: backstop COMMAND[^]*start, [^]*status/)
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toMatch(/^There is no command 'strat'\./)
  expect(why.stdout + why.stderr).toMatch(/^Usage: backstop why \[/)
})

it('says on an old Node that it is too old', async () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})'
  const { code, stderr } = await run(['start'], ['--import', old]).closed
  expect([code, stderr]).toEqual([
    1,
    'backstop needs Node 24 or newer, and this is Node 20.20.2. Install a newer one from https://nodejs.org, or let npm bring one: npm install --global node@24\n',
  ])
})
