import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { HOSTILE_INPUTS, type HostileInput } from './hostile-inputs.ts'
import type { PeerAnswer, PeerTask } from './hostile-peers.ts'

export type HostileCost = {
  input: string
  mode: 'stream' | 'whole'
  megabytes: number
  /** CPU of the gateway's thread: client and upstreams have one of their own. */
  cpuMs: number
  cpuMsPerMegabyte: number
  /** The longest that nothing else could run, in CPU time of the thread: how busy the machine is does not count. */
  blockedMs: number
  outcome: string
}

const MEGABYTE = 1024 * 1024
const MODES = ['stream', 'whole'] as const
/** The best of several: what the compiler and the garbage of other runs cost is not what the input does. */
const RUNS = 3
/** A short run measures some of the inputs, of every kind. */
const SHORT_EVERY = 6

const millisecondsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Follows the turns of the event loop; returns what tells the longest of them. */
function watchTurns(): () => number {
  let [longest, last] = [0, process.threadCpuUsage()]
  let next = setImmediate(turn)

  function turn(): void {
    longest = Math.max(longest, millisecondsSince(last))
    last = process.threadCpuUsage()
    next = setImmediate(turn)
  }

  return () => {
    clearImmediate(next)
    return longest
  }
}

type Peers = AsyncDisposable & { perform(task: PeerTask): Promise<PeerAnswer> }

function startPeers(): Peers {
  const worker = new Worker(new URL('./hostile-peers.ts', import.meta.url))
  return {
    async perform(task) {
      worker.postMessage(task)
      const [answer]: PeerAnswer[] = await once(worker, 'message')
      if (!answer) throw new Error('The other thread gave no answer.')
      return answer
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

async function bestOf(measure: () => Promise<number>): Promise<number> {
  let best = Infinity
  for (let run = 0; run < RUNS; run++) best = Math.min(best, await measure())
  return best
}

async function costOf(
  peers: Peers,
  { name, bytes, isNative }: HostileInput,
  input: number,
  mode: HostileCost['mode'],
) {
  const listening = await peers.perform({ kind: 'listen', input })
  if (listening.kind !== 'listening') throw new Error('The upstreams did not start.')
  const config = configOf(
    { hostile: listening.hostile, backup: listening.backup },
    [['hostile/m'], ['backup/m']],
    { retry_max_attempts: 2, endpoint_health_disabled: true },
  )
  const hostile = { ...config.providers.hostile, ...(isNative ? { wires: { responses: {} } } : {}) }
  const providers = { ...config.providers, hostile }
  let outcome = ''
  /** Each run meets a gateway that knows nothing of the ones before. */
  async function run(watch: () => () => number): Promise<number> {
    await using gateway = await startGateway({ ...config, providers }, {}, { clock: systemClock })
    const read = watch()
    const answer = await peers.perform({ kind: 'call', input, url: gateway.url, mode })
    outcome = answer.kind === 'called' ? answer.outcome : ''
    return read()
  }
  const cpuMs = await bestOf(() =>
    run(() => {
      const before = process.threadCpuUsage()
      return () => millisecondsSince(before)
    }),
  )
  // To follow every turn costs CPU of its own, so that is another run.
  const blockedMs = await bestOf(() => run(watchTurns))
  const megabytes = bytes / MEGABYTE
  return { input: name, mode, megabytes, cpuMs, cpuMsPerMegabyte: cpuMs / megabytes, blockedMs, outcome }
}

/** What each hostile input costs the gateway, streamed and whole, with client and upstreams in another thread. */
export async function hostileCosts(short: boolean): Promise<readonly HostileCost[]> {
  await using peers = startPeers()
  const costs: HostileCost[] = []
  for (const [place, input] of HOSTILE_INPUTS.entries()) {
    if (short && place % SHORT_EVERY !== 0) continue
    for (const mode of MODES) costs.push(await costOf(peers, input, place, mode))
  }
  return costs
}
