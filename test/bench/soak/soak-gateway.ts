import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { createSoakCounts, type SoakCounts } from './soak-counts.ts'

/** What the process of the gateway tells of itself. */
export type SoakLook = SoakCounts & {
  heapMb: number
  rssMb: number
  /** Open sockets, servers, timers and so on, by kind. */
  resources: Record<string, number>
  /** Listeners of the process. */
  listeners: number
  warnings: string[]
  errors: string[]
}

export type SoakCommand = { kind: 'start'; configuration: object } | { kind: 'look' } | { kind: 'close' }
export type SoakReply =
  { kind: 'started'; url: string } | { kind: 'looked'; look: SoakLook } | { kind: 'closed' }

const BYTES_PER_MB = 1_000_000

const counts = createSoakCounts()
const warnings: string[] = []
const errors: string[] = []
let gateway: Awaited<ReturnType<typeof startLocalGateway>> | null = null

process.on('warning', warning => void warnings.push(`${warning.name}: ${warning.message}`))

async function readTable(): Promise<Record<string, unknown>[]> {
  if (!gateway) return []
  const headers = { authorization: 'Bearer soak-key' }
  const response = await fetch(`${gateway.facts.url}/local/state`, { headers })
  return ((await response.json()) as { items: Record<string, unknown>[] }).items
}

async function look(): Promise<SoakLook> {
  const items = await readTable()
  const collect = (globalThis as { gc?: () => void }).gc
  collect?.()
  collect?.()
  const { heapUsed, rss } = process.memoryUsage()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return {
    ...counts.beside(items),
    heapMb: heapUsed / BYTES_PER_MB,
    rssMb: rss / BYTES_PER_MB,
    resources,
    listeners,
    warnings,
    errors,
  }
}

async function perform(command: SoakCommand): Promise<SoakReply> {
  if (command.kind === 'look') return { kind: 'looked', look: await look() }
  if (command.kind === 'close') {
    await gateway?.close()
    gateway = null
    return { kind: 'closed' }
  }
  gateway = await startLocalGateway({
    config: parseGatewayConfig(command.configuration),
    variables: { BACKSTOP_CLIENT_KEYS: 'soak-key' },
    port: 0,
    memory: createRequestMemory(),
    tableInThread: true,
    log: counts.note,
    onHandlerError: error => void errors.push(String(error)),
  })
  return { kind: 'started', url: gateway.facts.url }
}

process.on('message', (command: SoakCommand) => void perform(command).then(reply => process.send?.(reply)))
