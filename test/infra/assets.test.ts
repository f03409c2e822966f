import { readFileSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { expect, it } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

type Manifest = { files: Record<string, { source: { path?: string; executable?: string[] } }> }

/** What a synthesis would publish: each asset's files, by the path that its manifest has. */
function assetsOf(bundle: boolean): Map<string, string[]> {
  const { app, stack } = synthesise(CONFIG, 'test', createApp({ bundle }))
  const { directory } = app.synth()
  const manifest = readFileSync(join(directory, `${stack.artifactId}.assets.json`), 'utf8')
  return new Map(
    Object.values((JSON.parse(manifest) as Manifest).files).map(({ source: { path = '' } }) => {
      const at = join(directory, path)
      if (isAbsolute(path) || path.startsWith('..')) throw new Error(`${path} is not of this synthesis.`)
      return [path, statSync(at).isDirectory() ? readdirSync(at).toSorted() : [path]]
    }),
  )
}

const foldersOf = (assets: Map<string, string[]>): string[] =>
  [...assets.values()].map(files => files.join()).filter(files => !files.endsWith('.template.json'))

// As for `cdk bootstrap` and `cdk list`: whoever publishes what they leave must not publish the clone and its `.env`.
it('without bundling, an asset is the configuration and nothing of the clone', () => {
  expect(foldersOf(assetsOf(false))).toEqual(Array.from({ length: 3 }, () => 'gateway.config.json'))
})

it('with bundling, an asset is one bundle', () => {
  expect(foldersOf(assetsOf(true))).toEqual(Array.from({ length: 3 }, () => 'index.mjs,main.cjs'))
}, 120_000)
