import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { EmbeddedDynamo } from './dynamo.ts'
import { watchWorker } from './watch-worker.ts'

/** Its young objects; what the table holds is not bounded by this. */
const YOUNG_MB = 4

function endProcess(message: string): never {
  console.error(message)
  process.exit(1)
}

/**
 * Runs a DynamoDB in a thread with a heap of its own, on a free port of 127.0.0.1. It ends with the process, whatever
 * way that ends; if it ends of itself, the process does too, because its store can never answer again.
 */
export async function startTableThread(): Promise<EmbeddedDynamo> {
  const worker = new Worker(new URL('./table-worker.js', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const [port]: number[] = await once(worker, 'message')
  const stopWatching = watchWorker(worker, endProcess)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      stopWatching()
      await worker.terminate()
    },
  }
}
