import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

const KILOBYTE = 1_000
const LARGEST = 700 * KILOBYTE

/** The folders of the bundles, the largest first. */
let bundles: readonly string[]

beforeAll(() => {
  const { app } = synthesise(CONFIG, 'test', createApp({ bundle: true }))
  const { directory } = app.synth()
  const sizeOf = (folder: string): number => statSync(join(folder, 'index.mjs')).size
  bundles = readdirSync(directory)
    .filter(name => name.startsWith('asset.'))
    .map(name => join(directory, name))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
}, 120_000)

const load = (folder: string, env: Record<string, string>): string =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      // What Lambda's runtime puts there.
      `globalThis.awslambda = { streamifyResponse: handler => handler, HttpResponseStream: {} }
       const { handler } = await import(${JSON.stringify(join(folder, 'index.mjs'))})
       console.log(typeof handler)`,
    ],
    { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8', stdio: 'pipe' },
  )
    .split('\n', 1)[0]
    ?.trim() ?? ''

describe('the bundles', () => {
  it('are small enough to start fast', () => {
    for (const folder of bundles) expect(statSync(join(folder, 'index.mjs')).size).toBeLessThan(LARGEST)
  })

  it('are loaded by Node alone, without installed packages', () => {
    const env = { BACKSTOP_TABLE: 'table', BACKSTOP_SECRET: 'secret', AWS_REGION: 'eu-central-1' }
    expect(bundles.length).toBe(3)
    expect(bundles.map(folder => load(folder, env))).toEqual(bundles.map(() => 'function'))
  })

  it('say what is missing where the stack did not set it', () => {
    expect(() => load(bundles[0] ?? '', {})).toThrow(/BACKSTOP_TABLE and BACKSTOP_SECRET/)
  })

  it('hold the configuration, validated, and a map of their source', () => {
    for (const folder of bundles)
      expect(readdirSync(folder).toSorted()).toEqual(['index.mjs', 'index.mjs.map'])
    expect(readFileSync(join(bundles[0] ?? '', 'index.mjs'), 'utf8')).toContain('openai.gpt-oss-20b-1:0')
  })
})

test('each bundle is arranged so that a name of ours never hides one of the libraries', () => {
  for (const folder of bundles) {
    const code = readFileSync(join(folder, 'index.mjs'), 'utf8')
    expect(code.match(/\bbundleRequire\b/g)).toHaveLength(2)
  }
})
