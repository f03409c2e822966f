import { conductBenchmark } from './conduct/conduct-benchmark.ts'
import type { Benchmark } from './benchmark.ts'
import { billBenchmark } from './bill/bill-benchmark.ts'
import { clientsBenchmark } from './clients/clients-benchmark.ts'
import { coldBenchmark } from './cold/cold-benchmark.ts'
import { fleetBenchmark } from './fleet/fleet-benchmark.ts'
import { hostileBenchmark } from './hostile/hostile-benchmark.ts'
import { installBenchmark } from './install/install-benchmark.ts'
import { memoryBenchmark } from './memory/memory-benchmark.ts'
import { overheadBenchmark } from './overhead/overhead-benchmark.ts'
import { pageBenchmark } from './page/page-benchmark.ts'
import { recoveryBenchmark } from './recovery/recovery-benchmark.ts'
import { soakBenchmark } from './soak/soak-benchmark.ts'
import { stateBenchmark } from './state/state-benchmark.ts'
import { weekBenchmark } from './week/week-benchmark.ts'

/** By the names on the command line, in the order in which all of them run. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  cold: coldBenchmark,
  week: weekBenchmark,
  fleet: fleetBenchmark,
  state: stateBenchmark,
  recovery: recoveryBenchmark,
  hostile: hostileBenchmark,
  conduct: conductBenchmark,
  clients: clientsBenchmark,
  page: pageBenchmark,
  overhead: overheadBenchmark,
  memory: memoryBenchmark,
  install: installBenchmark,
  bill: billBenchmark,
  soak: soakBenchmark,
}
