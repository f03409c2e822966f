import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSoakClient, type Sent } from './soak-client.ts'
import type { SoakCommand, SoakLook, SoakReply } from './soak-gateway.ts'
import { startSoakUpstreams } from './soak-upstreams.ts'

export type Soak = {
  requests: number
  longStreams: number
  sent: Sent
  /** Before the gateway started, after each part of the requests, when all had ended, and when it was closed. */
  before: SoakLook
  during: readonly SoakLook[]
  after: SoakLook
  closed: SoakLook
}

type Options = { requests: number; parts: number; longStreams: number; atOnce: number }

const GATEWAY = fileURLToPath(new URL('soak-gateway.ts', import.meta.url))
const SETTLED_WITHIN_MS = 30_000
const POLL_MS = 250
/** An instance writes the successes that it has counted with the first request that ends 10 s after the last write. */
const WRITTEN_AFTER_MS = 11_000

async function perform(child: ChildProcess, command: SoakCommand): Promise<SoakReply> {
  const waiting = new AbortController()
  const { signal } = waiting
  const ended = once(child, 'exit', { signal }).then((): never => {
    throw new Error('The process of the gateway has ended.')
  })
  const reply = once(child, 'message', { signal })
  child.send(command)
  try {
    return ((await Promise.race([reply, ended])) as [SoakReply])[0]
  } finally {
    ended.catch(() => undefined)
    reply.catch(() => undefined)
    waiting.abort()
  }
}

async function lookAt(child: ChildProcess): Promise<SoakLook> {
  const reply = await perform(child, { kind: 'look' })
  if (reply.kind !== 'looked') throw new Error('The gateway told nothing of itself.')
  return reply.look
}

/** Looks until it sees this, or for long enough. */
async function lookUntil(child: ChildProcess, isSettled: (look: SoakLook) => boolean): Promise<SoakLook> {
  const until = Date.now() + SETTLED_WITHIN_MS
  for (;;) {
    const look = await lookAt(child)
    if (isSettled(look) || Date.now() > until) return look
    await sleep(POLL_MS)
  }
}

const total = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Sends requests of all kinds to a gateway in a process of its own, and tells what it looked like meanwhile. */
export async function runSoak({ requests, parts, longStreams, atOnce }: Options): Promise<Soak> {
  await using upstreams = await startSoakUpstreams()
  const child = fork(GATEWAY, { execArgv: ['--expose-gc', '--no-warnings=ExperimentalWarning'] })
  const agent = new Agent({ keepAlive: true })
  try {
    const before = await lookAt(child)
    const started = await perform(child, { kind: 'start', configuration: upstreams.configuration })
    if (started.kind !== 'started') throw new Error('The gateway did not start.')
    const client = createSoakClient({ url: started.url, key: 'soak-key', agent })
    const long = client.sendLong(longStreams)
    const during: SoakLook[] = []
    for (let part = 0; part < parts; part += 1) {
      await client.sendMany(requests / parts, atOnce)
      during.push(await lookAt(child))
    }
    upstreams.endLongStreams()
    await long
    await sleep(WRITTEN_AFTER_MS)
    await client.sendLast()
    agent.destroy()
    const arrived = total(client.sent) - (client.sent['early left'] ?? 0)
    const after = await lookUntil(
      child,
      ({ logged, answeredCalls }) => total(logged) >= arrived && answeredCalls.table >= answeredCalls.logged,
    )
    await perform(child, { kind: 'close' })
    const closed = await lookUntil(child, look => leftOpen(before, look).length === 0)
    return { requests, longStreams, sent: client.sent, before, during, after, closed }
  } finally {
    agent.destroy()
    child.kill('SIGKILL')
  }
}

/** Sockets, servers and timers that there were not before. */
export const leftOpen = (before: SoakLook, closed: SoakLook): string[] =>
  Object.entries(closed.resources).flatMap(([kind, count]) =>
    count > (before.resources[kind] ?? 0) ? `${kind}: ${count - (before.resources[kind] ?? 0)}` : [],
  )
