import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

const KILOBYTE = 1_000
const LARGEST = 700 * KILOBYTE

/** Where everything is that the synthesis wrote. */
let directory: string
/** The folders of the bundles, the largest first. */
let bundles: readonly string[]

const sizeOf = (folder: string): number => statSync(join(folder, 'main.cjs')).size

beforeAll(() => {
  directory = synthesise(CONFIG, 'test', createApp({ bundle: true })).app.synth().directory
  bundles = readdirSync(directory)
    .filter(name => name.startsWith('asset.'))
    .map(name => join(directory, name))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
}, 120_000)

const load = (folder: string, env: Record<string, string>, shown = 'typeof handler'): string =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      // What Lambda's runtime puts there.
      `globalThis.awslambda = { streamifyResponse: handler => handler, HttpResponseStream: {} }
       const { handler } = await import(${JSON.stringify(join(folder, 'index.mjs'))})
       console.log('shown', ${shown})
       process.exit()`,
    ],
    { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8', stdio: 'pipe' },
  )
    // It may have complained of its surroundings before.
    .match(/^shown (.*)$/m)?.[1] ?? ''

describe('the bundles', () => {
  it('are small enough to start fast', () => {
    for (const folder of bundles) expect(sizeOf(folder)).toBeLessThan(LARGEST)
  })

  it('are loaded by Node alone, without installed packages', () => {
    const env = { BACKSTOP_TABLE: 'table', BACKSTOP_SECRET: 'secret', AWS_REGION: 'eu-central-1' }
    expect(bundles.length).toBe(3)
    expect(bundles.map(folder => load(folder, env))).toEqual(bundles.map(() => 'function'))
  })

  it('say what is missing where the stack did not set it', () => {
    expect(() => load(bundles[0] ?? '', {})).toThrow(/BACKSTOP_TABLE and BACKSTOP_SECRET/)
  })

  it('hold the configuration, validated, and no map of their source, which Node would load', () => {
    for (const folder of bundles) expect(readdirSync(folder).toSorted()).toEqual(['index.mjs', 'main.cjs'])
    const code = readFileSync(join(bundles[0] ?? '', 'main.cjs'), 'utf8')
    expect(code).toContain('openai.gpt-oss-20b-1:0')
    expect(code).not.toContain('sourceMappingURL')
  })

  it('leave a map behind, with which the command of the runbook finds the source of a stack trace', () => {
    const maps = readdirSync(directory).filter(name => name.endsWith('.map'))
    expect(maps.map(name => /(Gateway|Probe|Widget)/.exec(name)?.[0])).toEqual(['Gateway', 'Probe', 'Widget'])
    const { stderr } = spawnSync(process.execPath, [join(bundles[0] ?? '', 'index.mjs')], {
      encoding: 'utf8',
      env: {},
    })
    const [, line = '', column = ''] =
      /main\.cjs:(\d+):(\d+)/.exec(stderr.slice(stderr.indexOf('Error: The function'))) ?? []
    const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8')
    const [command = ''] = /^place\(\) \{.*?^ .*?"\$@"; \}$/ms.exec(runbook) ?? []
    const shown = execFileSync('bash', ['-c', `${command}\nplace *Gateway*.map ${line} ${column}`], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect(shown).toMatch(/lambdas\/compose\/lambda\.ts:\d+\n$/)
  })

  it('load no second HTTP client of Node, as a module would that imports node:http', () => {
    const env = { BACKSTOP_TABLE: 'table', BACKSTOP_SECRET: 'secret', AWS_REGION: 'eu-central-1' }
    const shown = `process.moduleLoadList.some(name => name.includes('undici'))`
    expect(bundles.map(folder => load(folder, env, shown))).toEqual(bundles.map(() => 'false'))
  })
})
