import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'

export type BundleSource = {
  /** A file that exports `handler`. */
  entry: string
  /** The validated configuration, as a JSON file that becomes part of the bundle. */
  configFile: string
}

/**
 * What Lambda loads: it imports every handler, and looks through all of a CommonJS file for its exports first. Its init
 * phase lasts until what is `ready` has resolved.
 */
export const LOADER = 'index.mjs'
const PROGRAM = 'main.cjs'
export const LOAD = `import{createRequire}from"node:module";const{handler,ready}=createRequire(import.meta.url)("./${PROGRAM}");await ready;export{handler};\n`

/**
 * Code of the SDK that no function runs. A module that is imported lazily would wrap all that it imports in functions,
 * and V8 parse what stands in those twice.
 */
const NEVER_RUN = ['@smithy/core/event-streams']

const moduleOf = (code: string): string => `data:text/javascript,${code}`

/** What the SDK imports at once and no function comes to call: as little of it as can be loaded. */
export const HARDLY_USED: Readonly<Record<string, string>> = {
  // In a Lambda they are always in the environment, and told to the SDK.
  '@aws-sdk/credential-provider-node': moduleOf(
    'export const defaultProvider=()=>async()=>{throw new Error("The environment holds no credentials.")}',
  ),
  // For functions that serve several requests at a time; the others find the trace in their environment.
  '@aws/lambda-invoke-store': moduleOf('export const InvokeStore={getInstanceAsync:async()=>undefined}'),
  // For tables that are looked for at other addresses.
  '@aws-sdk/endpoint-cache': moduleOf('export class EndpointCache{}'),
  // For files of a home that no function has. Node would load two dozen modules of its own.
  'node:fs/promises': moduleOf(
    'import fs from"node:fs";export const readFile=(...input)=>fs.promises.readFile(...input)',
  ),
}

/** Where the SDK has its hashes: it gets that of Node, without the one that it keeps for Nodes that have none. */
export const HASHES = '@smithy/core/checksum'

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
  external: NEVER_RUN,
  supported: {
    // The SDK imports `node:http` when it first calls, as a module.
    'dynamic-import': false,
    // V8 parses an arrow function in full where another function holds it, as all of a CommonJS file is held, and other
    // functions in passing until they are called.
    arrow: false,
  },
  alias: {
    ...HARDLY_USED,
    [HASHES]: join(dirname(entry), 'providers/sha256.ts'),
    '#gateway-config': configFile,
  },
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
