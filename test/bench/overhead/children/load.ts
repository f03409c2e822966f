import { Agent, request as send } from 'node:http'

/** What the load generator is asked for. */
export type Load = {
  url: string
  headers: Record<string, string>
  body: string
  /** What stands in the last bytes of a whole answer. */
  endsWith: string
  concurrency: number
  requests: number
}

/** Milliseconds; the times in the order in which the answers ended. */
export type LoadResult = { totalMs: number; firstByteMs: number[]; answerMs: number[] }

/** More than the last event of any stream here. */
const TAIL_BYTES = 512

function ask(load: Load, agent: Agent): Promise<{ firstByteMs: number; answerMs: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ firstByteMs: number; answerMs: number }>()
  const startedAt = performance.now()
  const headers = {
    'content-type': 'application/json',
    ...load.headers,
    'content-length': Buffer.byteLength(load.body),
  }
  send(load.url, { method: 'POST', agent, headers }, response => {
    let firstByteMs = 0
    let tail: Buffer = Buffer.alloc(0)
    response.on('data', (chunk: Buffer) => {
      firstByteMs ||= performance.now() - startedAt
      tail =
        chunk.length >= TAIL_BYTES
          ? chunk.subarray(-TAIL_BYTES)
          : Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES)
    })
    response.once('end', () => {
      const isWhole = response.statusCode === 200 && tail.includes(load.endsWith)
      if (isWhole) resolve({ firstByteMs, answerMs: performance.now() - startedAt })
      else reject(new Error(`${load.url} answered ${response.statusCode}, ending in ${tail.toString()}`))
    })
    response.once('error', reject)
  })
    .once('error', reject)
    .end(load.body)
  return promise
}

async function perform(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency })
  const result: LoadResult = { totalMs: 0, firstByteMs: [], answerMs: [] }
  const startedAt = performance.now()
  let left = load.requests
  async function worker(): Promise<void> {
    for (; left > 0;) {
      left -= 1
      const { firstByteMs, answerMs } = await ask(load, agent)
      result.firstByteMs.push(firstByteMs)
      result.answerMs.push(answerMs)
    }
  }
  await Promise.all(Array.from({ length: load.concurrency }, worker))
  result.totalMs = performance.now() - startedAt
  agent.destroy()
  return result
}

process.on('message', (load: Load) => {
  perform(load).then(
    result => process.send?.({ result }),
    error => process.send?.({ error: String(error) }),
  )
})
process.send?.({ ready: '' })
