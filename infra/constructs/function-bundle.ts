import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buildSync } from 'esbuild'

export type BundleSource = {
  /** A file that exports `handler`. */
  entry: string
  /** The validated configuration, as a JSON file that becomes part of the bundle. */
  configFile: string
}

/** What Lambda loads: it imports every handler, and looks through all of a CommonJS file for its exports first. */
const LOADER = 'index.mjs'
const PROGRAM = 'main.cjs'

/**
 * What the SDK imports only where it needs it, which in a function is never: credentials from elsewhere than the
 * environment, and streams of events. A module that is imported in this way, and all that it imports, would be wrapped
 * in functions, of which V8 parses the inner ones twice.
 */
const NEVER_ASKED = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/core/event-streams',
  '@smithy/credential-provider-imds',
]

/**
 * Writes the bundle of one function into a folder, and the map of its source into a file beside that: Node would load
 * a map that it finds, which takes longer than everything else at a cold start.
 *
 * CommonJS, because a module that imports one of Node's own reads all of its exports: those of `node:http` then load a
 * second HTTP client, those of `node:crypto` the web's cryptography.
 */
export function writeFunctionBundle(folder: string, mapFile: string, source: BundleSource): void {
  const { outputFiles } = buildSync({
    entryPoints: [source.entry],
    outfile: join(folder, PROGRAM),
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
    external: NEVER_ASKED,
    // The SDK imports `node:http` when it first calls, as a module.
    supported: { 'dynamic-import': false },
    alias: { '#gateway-config': source.configFile },
    logLevel: 'warning',
  })
  mkdirSync(folder, { recursive: true })
  mkdirSync(dirname(mapFile), { recursive: true })
  for (const { path, contents } of outputFiles)
    writeFileSync(path.endsWith('.map') ? mapFile : join(folder, basename(path)), contents)
  const load = `import{createRequire}from"node:module";export const{handler}=createRequire(import.meta.url)("./${PROGRAM}");\n`
  writeFileSync(join(folder, LOADER), load)
}
