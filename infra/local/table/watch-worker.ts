import type { Worker } from 'node:worker_threads'

/** Says why the thread of the table ended, what is lost, and what to do. */
export function lossOfTable(error: Error | null): string {
  const isFull = error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  const reason = isFull ? 'it ran out of memory' : (error?.message ?? 'its thread stopped without an error')
  return [
    `The embedded state table ended: ${reason}.`,
    'The health of endpoints, counted limits, and what was set by hand are lost, and running answers are cut.',
    `Start the gateway again${isFull ? ', or keep its table elsewhere with AWS_ENDPOINT_URL_DYNAMODB' : ''}.`,
  ].join(' ')
}

/** Reports once that a thread ended of itself. Returns how to stop watching, before it is ended on purpose. */
export function watchWorker(worker: Worker, report: (message: string) => void): () => void {
  let isWatched = true
  function end(error: Error | null): void {
    if (!isWatched) return
    isWatched = false
    report(lossOfTable(error))
  }
  worker.on('error', (error: unknown) => end(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => end(null))
  return () => {
    isWatched = false
  }
}
