import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'

/** Of which `stat` counts what a file takes on the disk. */
const BLOCK_BYTES = 512
const ROOT = new URL('../../..', import.meta.url).pathname

/** In megabytes. `node`: how much of it is Node 24 itself, which `--omit=optional` leaves out with the rest of that kind. */
export type InstallResults = { all: number; withoutDev: number; node: number; withoutOptional: number }

type Package = { dev?: boolean; optional?: boolean; devOptional?: boolean }
type Weighed = { place: string; kind: Package; bytes: number }

/** Of the files of a package, without packages that are installed in it. */
function bytesOf(folder: string): number {
  let sum = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === '.cache') continue
    const path = join(folder, entry.name)
    sum += entry.isDirectory() ? bytesOf(path) : lstatSync(path).blocks * BLOCK_BYTES
  }
  return sum
}

/** What `npm ci` has installed here, by the lock file; packages for other platforms are not there. */
function weigh(): readonly Weighed[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>
  }
  return Object.entries(packages).flatMap(([place, kind]) => {
    if (place === '') return []
    try {
      return [{ place, kind, bytes: bytesOf(join(ROOT, place)) }]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
}

const megabytes = (weighed: readonly Weighed[]): number =>
  weighed.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000

const mb = (value: number): string => `${value.toFixed(0)} MB`

/** What an installation takes on the disk: everything, without the tools of tests and AWS, and without a Node of its own. */
export const installBenchmark: Benchmark<InstallResults> = {
  run() {
    const all = weigh()
    const withoutDev = all.filter(({ kind }) => !kind.dev && !kind.devOptional)
    const withoutOptional = withoutDev.filter(({ kind }) => !kind.optional)
    const node = withoutDev.filter(({ place }) => /^node_modules\/node(?:$|\/|-bin)/.test(place))
    const results = {
      all: megabytes(all),
      withoutDev: megabytes(withoutDev),
      node: megabytes(node),
      withoutOptional: megabytes(withoutOptional),
    }
    console.log('\nOn the disk:')
    console.table({
      'npm ci': mb(results.all),
      'npm ci --omit=dev': `${mb(results.withoutDev)}, of which Node 24 ${mb(results.node)}`,
      'npm ci --omit=dev --omit=optional': mb(results.withoutOptional),
    })
    return Promise.resolve(results)
  },
  fragments: ({ all, withoutDev, node, withoutOptional }, { date }) => [
    {
      page: 'infra/local/README.md',
      id: 'sizes',
      text: `That is ${mb(withoutDev)} on the disk, of which ${mb(node)} are Node 24, or ${mb(withoutOptional)} without optional packages; \`npm ci\` alone is ${mb(all)} (\`npm run bench -- install\`, ${longDate(date)}).`,
    },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `${mb(withoutDev)} without tools, of which ${mb(node)} are Node 24; ${mb(all)} with them (${longDate(date)})`,
    },
  ],
}
