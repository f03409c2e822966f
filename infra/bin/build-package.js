import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

const ROOT = join(import.meta.dirname, '../..')
const DIST = join(ROOT, 'dist')

/** What another project imports. */
const EXPORTS = {
  'infra/backstop': ['Backstop', 'type BackstopProps'],
  'infra/backstop-edge': ['BackstopEdge', 'type BackstopEdgeProps'],
  'lambdas/config/gateway-config': ['defineGateway', 'type GatewayConfig'],
}

/** The exports from files with this extension, as seen from `infra`. */
const exportsOf = extension =>
  Object.entries(EXPORTS)
    .map(([path, names]) => `export { ${names.join(', ')} } from '../${path}.${extension}'\n`)
    .join('')

// Node strips no types below node_modules, and apps of the CDK are CommonJS as often as not: one file that both
// kinds can load. Two folders below the package's root, as the constructs are, because they look for the functions there.
function buildConstruct() {
  buildSync({
    absWorkingDir: ROOT,
    stdin: { contents: exportsOf('ts'), resolveDir: join(ROOT, 'infra'), loader: 'ts' },
    outfile: 'dist/infra/package.js',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  })
  writeFileSync(join(DIST, 'package.json'), '{ "type": "commonjs" }\n')
}

/** TypeScript keeps the `.ts` of imports in declarations, where no other project may follow it. */
function buildDeclarations() {
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  execFileSync(compiler, ['--project', join(ROOT, 'infra/tsconfig.package.json')], { stdio: 'inherit' })
  for (const path of globSync('**/*.d.ts', { cwd: DIST })) {
    const file = join(DIST, path)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'),
    )
  }
  writeFileSync(join(DIST, 'infra/package.d.ts'), exportsOf('js'))
}

rmSync(DIST, { recursive: true, force: true })
buildConstruct()
buildDeclarations()
