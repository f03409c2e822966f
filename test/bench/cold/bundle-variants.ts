import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build, type BuildOptions } from 'esbuild'
import {
  bundleOptions,
  HASHES,
  HARDLY_USED,
  LOAD,
  LOADER,
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

const withoutAliases = (
  { alias = {}, ...options }: BuildOptions,
  names: readonly string[],
): BuildOptions => ({
  ...options,
  alias: Object.fromEntries(Object.entries(alias).filter(([name]) => !names.includes(name))),
})

/** Where the SDK looks for credentials when the environment holds none. */
const OTHER_CREDENTIALS = [
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

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
    // Its streams of events want hashes that are left out too.
    undone: options => ({ ...withoutAliases(options, [HASHES]), external: OTHER_CREDENTIALS }),
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
        code.replace('if (hasTried) start(figures.refresh)', 'start(figures.refresh)'),
      ),
  },
  {
    name: "Node's compression loaded when something is compressed",
    undone: options => ({
      ...options,
      banner: { js: `${options.banner?.['js'] ?? ''}require("node:zlib");` },
    }),
  },
  {
    name: 'functions that V8 parses in full when they are called',
    undone: options => ({ ...options, supported: { ...options.supported, arrow: true } }),
  },
  {
    name: 'what the SDK loads and hardly uses left out',
    undone: ({ external = [], ...options }) => ({
      ...withoutAliases(options, [HASHES, ...Object.keys(HARDLY_USED)]),
      external: [...external, ...OTHER_CREDENTIALS, '@aws-sdk/credential-provider-http'],
    }),
  },
  {
    name: 'keys and state awaited in the init phase',
    undone: options =>
      withModule(options, /gateway\.lambda\.ts$/, code => code.replace('export const ready = ', 'void ')),
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
    const outfile = join(folder, isModule ? LOADER : 'main.cjs')
    const sourcemap = hasMap ? true : ('external' as const)
    await build({ ...options, outfile, sourcemap, write: true })
    if (!isModule) await writeFile(join(folder, LOADER), LOAD)
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
    join(folder, LOADER),
    `import{createRequire,enableCompileCache,flushCompileCache}from"node:module";enableCompileCache(${JSON.stringify(cache)});
     setTimeout(flushCompileCache,1000).unref();const{handler,ready}=createRequire(import.meta.url)(${program});await ready;export{handler};\n`,
  )
  return [
    { name: "tried: V8's compile cache, made by the same Node", folder, variables: {}, fillsCache: true },
  ]
}

/** Resolves when a started variant has written the compile cache that the next one finds. */
export async function cacheWritten({ folder }: Variant): Promise<void> {
  const list = (): Promise<string[]> => readdir(join(folder, 'cache'), { recursive: true }).catch(() => [])
  for (let turn = 0; turn < 100 && (await list()).length < 2; turn += 1) await delay(100)
}
