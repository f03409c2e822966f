import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, test } from 'vitest'
import { lossOfTable, watchWorker } from '../../../infra/local/table/watch-worker.ts'

/** What is reported of a thread that runs this code until its end. */
async function reported(code: string, began: (stop: () => void, worker: Worker) => void = () => undefined) {
  const messages: string[] = []
  const worker = new Worker(code, { eval: true, execArgv: [], stderr: true })
  const stop = watchWorker(worker, message => void messages.push(message))
  const ended = new Promise(resolve => worker.once('exit', resolve))
  await once(worker, 'online')
  began(stop, worker)
  await ended
  return messages
}

it('a thread that crashes is reported once, with its reason', async () => {
  expect(await reported("throw new Error('no such page')")).toEqual([
    'The embedded state table ended: no such page. The health of endpoints, counted limits, and what was set by hand are lost, and running answers are cut. Start the gateway again.',
  ])
})

it('a thread that ends without an error is reported too', async () => {
  expect(await reported('')).toEqual([expect.stringContaining('ended: its thread stopped without an error.')])
})

it('a thread that is ended on purpose is not', async () => {
  const messages = await reported('setInterval(() => {}, 1_000)', (stop, worker) => {
    stop()
    void worker.terminate()
  })
  expect(messages).toEqual([])
})

test('a table that grew too large is told where else it can be kept', () => {
  const error = Object.assign(new Error('Worker terminated due to reaching memory limit'), {
    code: 'ERR_WORKER_OUT_OF_MEMORY',
  })
  expect(lossOfTable(error)).toMatch(
    /it ran out of memory\. .* keep its table elsewhere with AWS_ENDPOINT_URL/,
  )
})
