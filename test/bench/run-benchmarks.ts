import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmark.ts'
import { clientsBenchmark } from './clients/clients-benchmark.ts'
import { hostileBenchmark } from './hostile/hostile-benchmark.ts'
import { pageBenchmark } from './page/page-benchmark.ts'
import { recoveryBenchmark } from './recovery/recovery-benchmark.ts'
import { runtimeBenchmark } from './runtime/runtime-benchmark.ts'
import { stateBenchmark } from './state/state-benchmark.ts'
import { weekBenchmark } from './week/week-benchmark.ts'

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  runtime: runtimeBenchmark,
  week: weekBenchmark,
  state: stateBenchmark,
  recovery: recoveryBenchmark,
  hostile: hostileBenchmark,
  clients: clientsBenchmark,
  page: pageBenchmark,
}
const RESULTS = new URL('../../.backstop/bench', import.meta.url)

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.filter(name => !(name in BENCHMARKS))
if (unknown.length > 0) {
  console.error(`No benchmark "${unknown.join('", "')}". There are: ${Object.keys(BENCHMARKS).join(', ')}.`)
  process.exit(1)
}
const chosen = Object.entries(BENCHMARKS).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
for (const [name, benchmark] of chosen) {
  const missing = benchmark.missing?.() ?? null
  if (missing !== null) {
    console.error(`Skipped ${name}: ${missing}`)
    // Who names a benchmark wants its figures; a run of all goes on.
    if (positionals.includes(name)) process.exitCode = 1
    continue
  }
  const results = await benchmark.run(values)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify(results, null, 2)}\n`)
}
