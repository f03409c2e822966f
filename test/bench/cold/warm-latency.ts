import { chatEvent } from '../../runtime/chat-event.ts'
import type { Cloud } from '../../runtime/cloud.ts'
import { startInstance } from '../../runtime/lambda-instance.ts'
import { percentile } from '../percentile.ts'

const WARM_UP = 100

/** A way to ask, and how long it takes; milliseconds. */
export type Latency = { p50: number; p99: number }
export type WarmLatency = { direct: Latency; hello: Latency; gateway: Latency }

const summarise = (sample: readonly number[]): Latency => ({
  p50: percentile(sample, 0.5),
  p99: percentile(sample, 0.99),
})

async function callUpstream(url: string): Promise<void> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: chatEvent().body ?? '',
  })
  await response.text()
}

/** Whole answers, one at a time, each way in turn: what the machine does meanwhile touches all of them alike. */
export async function warmLatency(
  cloud: Cloud,
  hello: string,
  upstreamUrl: string,
  requests: number,
): Promise<WarmLatency> {
  await using gateway = await cloud.start('Gateway')
  await using platform = await startInstance(hello)
  const ways = {
    direct: () => callUpstream(upstreamUrl),
    hello: () => platform.api.invoke(chatEvent()),
    gateway: () => gateway.api.invoke(chatEvent()),
  }
  const samples = { direct: [] as number[], hello: [] as number[], gateway: [] as number[] }
  for (let request = 0; request < WARM_UP + requests; request += 1) {
    for (const name of ['direct', 'hello', 'gateway'] as const) {
      const startedAt = performance.now()
      await ways[name]()
      if (request >= WARM_UP) samples[name].push(performance.now() - startedAt)
    }
  }
  return {
    direct: summarise(samples.direct),
    hello: summarise(samples.hello),
    gateway: summarise(samples.gateway),
  }
}
