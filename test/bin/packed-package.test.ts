import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../pages/page.ts'

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
  execFileSync(process.execPath, ['infra/bin/build-package.js'])
  files = packed()
  folder = mkdtempSync(join(tmpdir(), 'packed-'))
  const home = join(folder, 'node_modules', 'backstop')
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    cpSync(file, join(home, file))
  }
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  for (const name of [...Object.keys(dependencies), 'aws-cdk-lib', 'constructs', 'esbuild', '@types/node']) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  bin = join(home, 'infra/bin/backstop.js')
}, 120_000)
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
      !/^(?:(?:infra|lambdas)\/.*\.(?:ts|js|md|json|html|css|svg)|dist\/.*\.d\.ts|dist\/(?:package\.json|infra\/package\.js)|README\.md|LICENSE|package\.json)$/.test(
        path,
      ),
  )
  expect(odd).toEqual([])
  expect(files.filter(path => /\.env|cdk|^infra\/constructs|\.test\.|^test/.test(path))).toEqual([])
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
  expect(asked.stdout).toMatch(/simulated answer[^]*\nbackstop why [0-9a-f-]{36} --url http\S+\n$/)
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

/** The sample of the page, without its import. */
const SAMPLE = readPage('infra/README.md')
  .blocks.find(({ text }) => text.includes("from 'backstop'"))
  ?.text.replace(/^import .*$/m, '')
  .replace('(this,', '(stack,')

const APP = `
const app = new App({ outdir: 'cdk.out' })
const stack = new Stack(app, 'Shop')
const worker = new Function(stack, 'Worker', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = () => 1'),
})
${SAMPLE}
app.synth()
`

describe("another project's app", () => {
  const synthesise = (file: string, imports: string): string => {
    rmSync(join(folder, 'cdk.out'), { recursive: true, force: true })
    writeFileSync(join(folder, file), imports + APP)
    execFileSync(process.execPath, [file], { cwd: folder, stdio: 'pipe' })
    return readFileSync(join(folder, 'cdk.out', 'Shop.template.json'), 'utf8')
  }

  it('synthesises the construct with its functions, as a module or as CommonJS', () => {
    const asModule = synthesise(
      'app.mjs',
      "import { App, Stack } from 'aws-cdk-lib'\nimport { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda'\nimport { Backstop, defineGateway } from 'backstop'",
    )
    expect(asModule).toContain('LlmUrl')
    const bundles = readdirSync(join(folder, 'cdk.out')).filter(name => name.startsWith('asset.'))
    expect(bundles).toHaveLength(3)
    for (const name of bundles) expect(existsSync(join(folder, 'cdk.out', name, 'index.mjs'))).toBe(true)
    const asCommon = synthesise(
      'app.cjs',
      "const { App, Stack } = require('aws-cdk-lib')\nconst { Code, Function, Runtime } = require('aws-cdk-lib/aws-lambda')\nconst { Backstop, defineGateway } = require('backstop')",
    )
    expect(asCommon).toBe(asModule)
  }, 120_000)

  it('finds the types, as a module or as CommonJS', () => {
    const wrong = `
// @ts-expect-error There is no such section.
defineGateway({ models: {}, modells: {} })
// @ts-expect-error It is a string.
const key: number = llm.secret.secretArn
void key
`
    const imports =
      "import { App, Stack } from 'aws-cdk-lib'\nimport { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda'\nimport { Backstop, defineGateway } from 'backstop'"
    for (const file of ['app.mts', 'app.cts']) writeFileSync(join(folder, file), imports + APP + wrong)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'node']
    const compiler = resolve('node_modules/.bin/tsc')
    const check = () =>
      execFileSync(compiler, [...options, 'app.mts', 'app.cts'], { cwd: folder, stdio: 'pipe' })
    expect(check).not.toThrow()
  }, 120_000)
})
