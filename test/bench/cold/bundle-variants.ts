import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build, type BuildOptions } from 'esbuild'
import {
  bundleOptions,
  OTHER_CREDENTIALS,
  writeFunctionBundle,
} from '../../../infra/constructs/function-bundle.ts'

/** A bundle, and the environment that it runs with beside what the platform sets. */
export type Variant = {
  name: string
  folder: string
  variables: Record<string, string>
  /** Its first start leaves something behind for the others. */
  fillsCache?: boolean
}

type Step = { name: string; undone(options: BuildOptions): BuildOptions }

const ENTRY = join(import.meta.dirname, '../../../lambdas/gateway.lambda.ts')

const REQUIRE =
  'import{createRequire as bundleRequire}from"node:module";const require=bundleRequire(import.meta.url);'

/** The bundle as it would be if one of its modules held other code. */
const withModule = (
  options: BuildOptions,
  module: RegExp,
  other: (code: string) => string,
): BuildOptions => ({
  ...options,
  plugins: [
    ...(options.plugins ?? []),
    {
      name: 'other code',
      setup({ onLoad }) {
        onLoad({ filter: module }, async ({ path }) => {
          const code = await readFile(path, 'utf8')
          const contents = other(code)
          if (contents === code) throw new Error(`${path} no longer holds what this step changed`)
          return { contents, loader: 'ts' }
        })
      },
    },
  ],
})

const MAP: Step = {
  name: 'no map of the source in the bundle',
  undone: options => ({ ...options, sourcemap: true }),
}

/** In the order in which they were taken, each with the options of a bundle from before. */
const STEPS: readonly Step[] = [
  MAP,
  {
    name: 'CommonJS instead of an ES module',
    undone: options => ({ ...options, supported: {}, format: 'esm', banner: { js: REQUIRE } }),
  },
  {
    name: 'what the SDK never runs left out',
    undone: options => ({ ...options, external: OTHER_CREDENTIALS }),
  },
  {
    name: 'the SDK told what it would look for in files',
    undone: options =>
      withModule(options, /config\/sdk-access\.ts$/, () => 'export const sdkAccess = () => ({})'),
  },
  {
    name: 'counters read after the first output',
    undone: options =>
      withModule(options, /memory\/fleet-memory\.ts$/, code =>
        code.replace('if (view.readAt !== null) start(figures.refresh)', 'start(figures.refresh)'),
      ),
  },
  {
    name: "Node's compression loaded when something is compressed",
    undone: options => ({
      ...options,
      banner: { js: `${options.banner?.['js'] ?? ''}require("node:zlib");` },
    }),
  },
]

const STARTING_POINT = 'as it was'

/** The bundle with all steps but these. */
async function writeWithout(steps: readonly Step[], name: string, configFile: string): Promise<Variant> {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-cold-'))
  const hasMap = steps.includes(MAP)
  const variables = hasMap ? { NODE_OPTIONS: '--enable-source-maps' } : {}
  if (steps.length === 0) writeFunctionBundle(folder, `${folder}.map`, { entry: ENTRY, configFile })
  else {
    const options = steps.reduce(
      (all, { undone }) => undone(all),
      bundleOptions({ entry: ENTRY, configFile }),
    )
    const isModule = options.format === 'esm'
    const outfile = join(folder, isModule ? 'index.mjs' : 'main.cjs')
    const sourcemap = hasMap ? true : ('external' as const)
    await build({ ...options, outfile, sourcemap, write: true })
    const load = 'export const{handler}=createRequire(import.meta.url)("./main.cjs")'
    if (!isModule)
      await writeFile(join(folder, 'index.mjs'), `import{createRequire}from"node:module";${load}`)
  }
  return { name, folder, variables }
}

/** One bundle after each step, from none taken to all of them: the last one is what is deployed. */
export function writeVariants(configFile: string, all: boolean): Promise<Variant[]> {
  const names = [STARTING_POINT, ...STEPS.map(({ name }) => name)]
  const counts = all ? names.map((_, taken) => taken) : [0, STEPS.length]
  return Promise.all(counts.map(taken => writeWithout(STEPS.slice(taken), names[taken] ?? '', configFile)))
}

/** What was tried on the bundle that is deployed, and is not part of it. */
export async function writeTrials(deployed: Variant): Promise<Variant[]> {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-cold-cache-'))
  const program = JSON.stringify(join(deployed.folder, 'main.cjs'))
  const cache = join(folder, 'cache')
  await mkdir(cache)
  await writeFile(
    join(folder, 'index.mjs'),
    `import{createRequire,enableCompileCache,flushCompileCache}from"node:module";enableCompileCache(${JSON.stringify(cache)});
     setTimeout(flushCompileCache,1000).unref();export const{handler}=createRequire(import.meta.url)(${program});\n`,
  )
  return [
    {
      ...deployed,
      name: 'tried: young space of 32 MB',
      variables: { NODE_OPTIONS: '--max-semi-space-size=32' },
    },
    { name: "tried: V8's compile cache, made by the same Node", folder, variables: {}, fillsCache: true },
  ]
}

/** Resolves when a started variant has written the compile cache that the next one finds. */
export async function cacheWritten({ folder }: Variant): Promise<void> {
  const list = (): Promise<string[]> => readdir(join(folder, 'cache'), { recursive: true }).catch(() => [])
  for (let turn = 0; turn < 100 && (await list()).length < 2; turn += 1) await delay(100)
}
