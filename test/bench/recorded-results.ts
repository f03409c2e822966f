import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Benchmark, Circumstances } from './benchmark.ts'
import { fragmentsOf, withFragments } from './page-fragments.ts'

/** `short` is never true: a smaller sample has no place on a page. */
export type Recorded = Circumstances & { benchmark: string; short: boolean; results: object }

const ROOT = new URL('../..', import.meta.url)
const RECORDED = new URL('results/', import.meta.url)

const fileOf = (name: string): URL => new URL(`${name}.json`, RECORDED)

/** Where a run leaves what it measured, whether or not it is recorded; Git ignores it. */
export const rawFileOf = (name: string): URL => new URL(`.backstop/bench/${name}.json`, ROOT)

/** The benchmarks whose results are recorded. */
export const recordedNames = (): string[] =>
  existsSync(RECORDED)
    ? readdirSync(RECORDED)
        .filter(file => file.endsWith('.json'))
        .map(file => file.replace(/\.json$/, ''))
    : []

/** The last recorded results of a benchmark; null = there are none. */
export function readRecorded(name: string): Recorded | null {
  const file = fileOf(name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : null
}

/** Keeps results for the pages, with the day and the machine. */
export function record(name: string, results: object): Recorded {
  const recorded: Recorded = {
    benchmark: name,
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    node: process.versions.node,
    short: false,
    results,
  }
  mkdirSync(RECORDED, { recursive: true })
  writeFileSync(fileOf(name), `${JSON.stringify(recorded, null, 2)}\n`)
  // Read back, so that pages are written of what is kept: JSON knows neither NaN nor a Map.
  return readRecorded(name) ?? recorded
}

/** Writes what the pages say of recorded results; returns the files that it changed, from the root. */
export function writePages(benchmark: Benchmark, recorded: Recorded): string[] {
  const changed = new Set<string>()
  function update(path: string, change: (text: string) => string): void {
    const file = new URL(path, ROOT)
    const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const after = change(before)
    if (after === before) return
    writeFileSync(file, after)
    changed.add(path)
  }
  for (const fragment of benchmark.fragments?.(recorded.results, recorded) ?? []) {
    update(fragment.page, text => {
      const isThere = fragmentsOf(text).some(
        found => found.benchmark === recorded.benchmark && found.id === fragment.id,
      )
      if (!isThere)
        throw new Error(
          `${fragment.page} has no place for this text: put <!-- bench ${recorded.benchmark} ${fragment.id} --><!-- /bench --> there.`,
        )
      return withFragments(text, recorded.benchmark, [fragment])
    })
  }
  for (const { file, svg } of benchmark.pictures?.(recorded.results, recorded) ?? []) update(file, () => svg)
  return [...changed]
}
