import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { LOCAL_TABLE } from '../../../infra/local/table/dynamo.ts'
import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { createDynamoClients, PATIENT_LIMITS } from '../../../lambdas/store/dynamo-client.ts'
import { localAccess } from '../../../lambdas/store/local-access.ts'
import { startChild, told } from '../overhead/child-process.ts'
import { createSoakClient, type Sent } from './soak-client.ts'
import type { SoakCommand, SoakLook, SoakReply } from './soak-gateway.ts'
import { createSoakLog, type SoakLog } from './soak-log.ts'
import { countTable, type SoakTable } from './soak-table.ts'
import { startSoakUpstreams } from './soak-upstreams.ts'

export type Soak = {
  requests: number
  longStreams: number
  sent: Sent
  log: SoakLog
  table: SoakTable
  /** Before the gateway started, after each part of the requests, and when it was closed. */
  before: SoakLook
  during: readonly SoakLook[]
  closed: SoakLook
}

type Options = { requests: number; parts: number; longStreams: number; atOnce: number }

const TABLE = new URL('../overhead/children/table.ts', import.meta.url)
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

/** Asks until this is so, or for long enough. */
async function askUntil<Told>(ask: () => Promise<Told>, isSettled: (told: Told) => boolean): Promise<Told> {
  const until = Date.now() + SETTLED_WITHIN_MS
  for (;;) {
    const told = await ask()
    if (isSettled(told) || Date.now() > until) return told
    await sleep(POLL_MS)
  }
}

/** How much of a log may be missing: requests that may never have arrived are not waited for. */
const isTold = (sent: Sent, log: SoakLog): boolean =>
  [...sent].every(([id, end]) => log.ends.has(id) || end === 'left early' || end === 'unsent')

/** Sends requests of all kinds to a gateway in a process of its own, and tells what it looked like meanwhile. */
export async function runSoak({ requests, parts, longStreams, atOnce }: Options): Promise<Soak> {
  await using upstreams = await startSoakUpstreams()
  await using tableProcess = startChild(TABLE)
  const endpoint = await told<string>(tableProcess.process, 'ready')
  const child = fork(GATEWAY, {
    execArgv: ['--expose-gc', '--no-warnings=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const log = createSoakLog()
  if (child.stdout) createInterface(child.stdout).on('line', line => log.note(JSON.parse(line) as LogEvent))
  const agent = new Agent({ keepAlive: true })
  try {
    const before = await lookAt(child)
    const { configuration } = upstreams
    const started = await perform(child, { kind: 'start', configuration, table: endpoint })
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
    await askUntil(async () => isTold(client.sent, log), Boolean)
    const table = await askUntil(
      async () => countTable(await readTable(endpoint), Date.now()),
      ({ answeredCalls, placesTaken }) => answeredCalls >= log.answeredCalls && placesTaken === 0,
    )
    await perform(child, { kind: 'close' })
    const closed = await askUntil(
      () => lookAt(child),
      look => leftOpen(before, look).length === 0,
    )
    return { requests, longStreams, sent: client.sent, log, table, before, during, closed }
  } finally {
    agent.destroy()
    child.kill('SIGKILL')
  }
}

/** Everything that the table holds. */
async function readTable(endpoint: string): Promise<Record<string, unknown>[]> {
  const clients = createDynamoClients(localAccess(endpoint, {}), PATIENT_LIMITS)
  const items: Record<string, unknown>[] = []
  for await (const { Items = [] } of paginateScan({ client: clients.reads }, { TableName: LOCAL_TABLE }))
    items.push(...Items)
  clients.destroy()
  return items
}

/** Sockets, servers and timers that there were not before. */
export const leftOpen = (before: SoakLook, closed: SoakLook): string[] =>
  Object.entries(closed.resources).flatMap(([kind, count]) =>
    count > (before.resources[kind] ?? 0) ? `${kind}: ${count - (before.resources[kind] ?? 0)}` : [],
  )
