import { monitorEventLoopDelay } from 'node:perf_hooks'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { HOSTILE_INPUTS, type HostileInput } from './hostile-inputs.ts'

export type HostileCost = {
  input: string
  mode: 'stream' | 'whole'
  megabytes: number
  /** CPU of this process, upstream and client included. */
  cpuMs: number
  cpuMsPerMegabyte: number
  /** The longest that nothing else could run. */
  blockedMs: number
  outcome: string
}

const MEGABYTE = 1024 * 1024

async function costOf(
  url: string,
  { name, body, bytes }: HostileInput,
  mode: HostileCost['mode'],
): Promise<HostileCost> {
  const question = JSON.stringify({
    model: 'chat',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: mode === 'stream',
  })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const before = process.cpuUsage()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body ?? question,
  })
  const text = await response.text()
  const { user, system } = process.cpuUsage(before)
  delay.disable()
  const cpuMs = (user + system) / 1_000
  const megabytes = bytes / MEGABYTE
  const chain = response.headers.get('x-backstop-chain')?.replace(/;\d+(?= |$)/g, '')
  return {
    input: name,
    mode,
    megabytes,
    cpuMs,
    cpuMsPerMegabyte: cpuMs / megabytes,
    blockedMs: delay.max / 1e6,
    outcome: `${response.status} ${chain ?? ''} ${text.includes('"error":{') ? 'error' : ''}`.trim(),
  }
}

/** What each hostile input costs, streamed and whole, in this one process. */
export async function hostileCosts(): Promise<readonly HostileCost[]> {
  await using backup = await startUpstream(() => chatStream(['all ', 'well']))
  const costs: HostileCost[] = []
  for (const input of HOSTILE_INPUTS) {
    for (const mode of ['stream', 'whole'] as const) {
      await using upstream = await startUpstream([input.answer ?? chatStream(['never'])])
      const urls = { hostile: upstream.url, backup: backup.url }
      await using gateway = await startGateway(
        configOf(urls, [['hostile/m'], ['backup/m']], { retry_max_attempts: 2 }),
        {},
        { clock: systemClock },
      )
      await costOf(gateway.url, { ...input, body: '{"model":"none"}' }, mode)
      costs.push(await costOf(gateway.url, input, mode))
    }
  }
  return costs
}
