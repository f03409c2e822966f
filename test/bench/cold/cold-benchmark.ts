import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCloud, type Cloud } from '../../runtime/cloud.ts'
import { startInstance } from '../../runtime/lambda-instance.ts'
import { missingForLambdaRic } from '../../runtime/lambda-ric.ts'
import type { Benchmark } from '../benchmark.ts'
import { cacheWritten, writeTrials, writeVariants, type Variant } from './bundle-variants.ts'
import { coldFragments, STEP_COLUMNS, stepCells, type ColdResults } from './cold-fragments.ts'
import { medianStart, startOnce, type ColdStart } from './cold-start.ts'
import { helloFunction } from './hello-function.ts'
import { startInstantUpstream } from './instant-upstream.ts'
import { missingForProcessCpu } from './process-cpu.ts'
import { warmLatency } from './warm-latency.ts'

const ROUNDS = 11
const SHORT_ROUNDS = 3

const ms = (value: number): string => `${value.toFixed(2)} ms`

/** Rounds in which each is started once, so that what the machine does meanwhile touches all of them alike. */
async function startInTurn(
  variants: readonly Variant[],
  start: (variant: Variant) => ReturnType<Cloud['start']>,
  rounds: number,
): Promise<Map<string, ColdStart>> {
  const samples = new Map(variants.map(({ name }) => [name, [] as ColdStart[]]))
  // The first of each reads files that are in no cache, and fills the caches that a variant has.
  for (const variant of variants)
    await startOnce(start(variant), variant.fillsCache ? () => cacheWritten(variant) : undefined)
  for (let round = 0; round < rounds; round += 1)
    for (const variant of variants) samples.get(variant.name)?.push(await startOnce(start(variant)))
  return new Map([...samples].map(([name, sample]) => [name, medianStart(sample)]))
}

/** What a cold start costs under Lambda's own runtime client, after each step that was taken to lower it. */
export const coldBenchmark: Benchmark<ColdResults> = {
  missing: () => missingForLambdaRic() ?? missingForProcessCpu(),
  async run({ short }) {
    await using upstream = await startInstantUpstream()
    const config = {
      providers: { local: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['local/m']] } },
    }
    await using cloud = await openCloud(config)
    const configFile = join(await mkdtemp(join(tmpdir(), 'backstop-cold-')), 'config.json')
    await writeFile(configFile, JSON.stringify(config))
    const steps = await writeVariants(configFile, !short)
    const deployed = steps.at(-1)
    const trials = deployed && !short ? await writeTrials(deployed) : []
    const helloFolder = await helloFunction()
    const hello: Variant = { name: 'hello world', folder: helloFolder, variables: {} }
    const start = (variant: Variant) =>
      variant === hello ? startInstance(helloFolder) : cloud.startFrom(variant.folder, variant.variables)
    const starts = await startInTurn([hello, ...steps, ...trials], start, short ? SHORT_ROUNDS : ROUNDS)
    const warm = await warmLatency(cloud, helloFolder, upstream.url, short ? 50 : 300)

    const rows = [...starts].map(([name, figures]) => ({ name, ...figures }))
    const [base, ...rest] = rows
    if (!base) throw new Error('nothing was started')
    const results: ColdResults = {
      hello: base,
      steps: rest.slice(0, steps.length),
      trials: rest.slice(steps.length),
      warm,
    }
    console.log("\nUnder Lambda's runtime client, on this machine: ratios travel, milliseconds do not.\n")
    console.table(
      Object.fromEntries(
        rows.map(row => [
          row.name,
          Object.fromEntries(stepCells(row, base).map((cell, index) => [STEP_COLUMNS[index] ?? '', cell])),
        ]),
      ),
    )
    console.log('\nWarm, one whole answer at a time:')
    console.table(
      Object.fromEntries(
        Object.entries(warm).map(([name, { p50, p99 }]) => [name, { p50: ms(p50), p99: ms(p99) }]),
      ),
    )
    return results
  },
  fragments: coldFragments,
}
