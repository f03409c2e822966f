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
  /** The longest that nothing else could run, in CPU time of the thread: how busy the machine is does not count. */
  blockedMs: number
  outcome: string
}

const MEGABYTE = 1024 * 1024

const microseconds = ({ user, system }: NodeJS.CpuUsage): number => user + system

/** Follows the turns of the event loop; returns what tells the longest of them. */
function watchTurns(): () => number {
  let [longest, last] = [0, process.threadCpuUsage()]
  let next = setImmediate(turn)

  function turn(): void {
    longest = Math.max(longest, microseconds(process.threadCpuUsage(last)))
    last = process.threadCpuUsage()
    next = setImmediate(turn)
  }

  return () => {
    clearImmediate(next)
    return longest / 1_000
  }
}

async function costOf(
  url: string,
  { name, body, bytes, path = '/v1/chat/completions' }: HostileInput,
  mode: HostileCost['mode'],
): Promise<Omit<HostileCost, 'blockedMs'>> {
  const question = JSON.stringify({
    model: 'chat',
    [path === '/v1/responses' ? 'input' : 'messages']: [{ role: 'user', content: 'Hi' }],
    stream: mode === 'stream',
  })
  const before = process.cpuUsage()
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body ?? question,
  })
  const text = await response.text()
  const cpuMs = microseconds(process.cpuUsage(before)) / 1_000
  const megabytes = bytes / MEGABYTE
  const chain = response.headers.get('x-backstop-chain')?.replace(/;\d+(?= |$)/g, '')
  return {
    input: name,
    mode,
    megabytes,
    cpuMs,
    cpuMsPerMegabyte: cpuMs / megabytes,
    outcome: `${response.status} ${chain ?? ''} ${text.includes('"error":{') ? 'error' : ''}`.trim(),
  }
}

/** What each hostile input costs, streamed and whole, in this one process. */
export async function hostileCosts(only: string | null = null): Promise<readonly HostileCost[]> {
  await using backup = await startUpstream(() => chatStream(['all ', 'well']))
  const costs: HostileCost[] = []
  for (const input of HOSTILE_INPUTS) {
    if (only !== null && !input.name.includes(only)) continue
    for (const mode of ['stream', 'whole'] as const) {
      await using upstream = await startUpstream([input.answer ?? chatStream(['never'])])
      const urls = { hostile: upstream.url, backup: backup.url }
      const config = configOf(urls, [['hostile/m'], ['backup/m']], { retry_max_attempts: 2 })
      const hostile = { ...config.providers.hostile, ...(input.isNative ? { wires: { responses: {} } } : {}) }
      await using gateway = await startGateway(
        { ...config, providers: { ...config.providers, hostile } },
        {},
        { clock: systemClock },
      )
      // Once to warm up: what the compiler costs is not what the input does.
      await costOf(gateway.url, input, mode)
      const cost = await costOf(gateway.url, input, mode)
      // To follow every turn costs CPU of its own, so that is a run of its own.
      const longestTurn = watchTurns()
      await costOf(gateway.url, input, mode)
      costs.push({ ...cost, blockedMs: longestTurn() })
    }
  }
  return costs
}
