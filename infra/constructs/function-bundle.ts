import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'

export type BundleSource = {
  /** A file that exports `handler`. */
  entry: string
  /** The validated configuration, as a JSON file that becomes part of the bundle. */
  configFile: string
}

/** What Lambda loads: it imports every handler, and looks through all of a CommonJS file for its exports first. */
const LOADER = 'index.mjs'
const PROGRAM = 'main.cjs'
const LOAD = `import{createRequire}from"node:module";export const{handler}=createRequire(import.meta.url)("./${PROGRAM}");\n`

/** Where the SDK looks for credentials when the environment holds none, which in a Lambda it always does. */
export const OTHER_CREDENTIALS = [
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

/**
 * Other code of the SDK that no function runs. A module that is imported lazily would wrap all that it imports in
 * functions, and V8 parse what stands in those twice.
 */
const NEVER_RUN = ['@aws-sdk/credential-provider-http', '@smithy/core/event-streams']

/**
 * How a function is bundled. CommonJS, because a module that imports one of Node's own reads all of its exports: those
 * of `node:http` then load a second HTTP client.
 */
export const bundleOptions = ({ entry, configFile }: BundleSource): BuildOptions => ({
  entryPoints: [entry],
  outfile: PROGRAM,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minify: true,
  sourcemap: 'external',
  sourcesContent: false,
  // Written for bundlers, and a fifth smaller than what Node would load.
  mainFields: ['module', 'main'],
  // The SDK of the runtime would be another version than the one under test.
  external: [...OTHER_CREDENTIALS, ...NEVER_RUN],
  // The SDK imports `node:http` when it first calls, as a module.
  supported: { 'dynamic-import': false },
  alias: { '#gateway-config': configFile },
  logLevel: 'warning',
})

/**
 * Writes the bundle of one function into a folder, and the map of its source elsewhere: Node would load a map that it
 * finds, which takes longer than anything else at a cold start.
 */
export function writeFunctionBundle(folder: string, mapFile: string, source: BundleSource): void {
  const { outputFiles = [] } = buildSync({ ...bundleOptions(source), outfile: join(folder, PROGRAM) })
  mkdirSync(folder, { recursive: true })
  mkdirSync(dirname(mapFile), { recursive: true })
  for (const { path, contents } of outputFiles)
    writeFileSync(path.endsWith('.map') ? mapFile : join(folder, basename(path)), contents)
  writeFileSync(join(folder, LOADER), LOAD)
}
