import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmark.ts'
import { BENCHMARKS } from './benchmarks.ts'
import { rawFileOf, readRecorded, record, type Recorded, writePages } from './recorded-results.ts'

const { values, positionals } = parseArgs({
  options: {
    // A smaller sample, for CI.
    short: { type: 'boolean', default: false },
    // Keeps the results, and writes what the pages say of them.
    record: { type: 'boolean', default: false },
    // Writes the pages again of the results that are kept, without measuring.
    rewrite: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}

const unknown = positionals.filter(name => !Object.hasOwn(BENCHMARKS, name))
if (unknown.length > 0)
  refuse(`No benchmark "${unknown.join('", "')}". There are: ${Object.keys(BENCHMARKS).join(', ')}.`)
if (values.short && values.record) refuse('A short run is not recorded: leave out --short or --record.')

function write(benchmark: Benchmark, recorded: Recorded): void {
  for (const file of writePages(benchmark, recorded)) console.log(`Wrote ${file}.`)
}

async function measure(name: string, benchmark: Benchmark): Promise<void> {
  const missing = benchmark.missing?.() ?? null
  if (missing !== null) {
    console.error(`Skipped ${name}: ${missing}`)
    // Who names a benchmark wants its figures; a run of all goes on.
    if (positionals.includes(name)) process.exitCode = 1
    return
  }
  const startedAt = performance.now()
  const results = await benchmark.run(values)
  console.log(`${name} took ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`)
  const raw = rawFileOf(name)
  mkdirSync(new URL('.', raw), { recursive: true })
  writeFileSync(raw, `${JSON.stringify(results, null, 2)}\n`)
  if (values.record) write(benchmark, record(name, results))
}

for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  try {
    const recorded = values.rewrite ? readRecorded(name) : null
    if (!values.rewrite) await measure(name, benchmark)
    else if (recorded) write(benchmark, recorded)
    else if (positionals.includes(name)) throw new Error('No results are recorded.')
  } catch (error) {
    console.error(`${name} failed:`, error)
    process.exitCode = 1
  }
}
