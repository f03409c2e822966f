import { recordOf } from '../../../lambdas/core/record-of.ts'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'

/** What the process of the gateway tells of itself. */
export type SoakLook = {
  /** In MB, with as little garbage as can be. */
  memory: Record<keyof NodeJS.MemoryUsage, number>
  /** Open sockets, servers, timers and so on, by kind. */
  resources: Record<string, number>
  /** Listeners of the process. */
  listeners: number
  warnings: string[]
  errors: string[]
}

export type SoakCommand =
  { kind: 'start'; configuration: object; table: string } | { kind: 'look' } | { kind: 'close' }
export type SoakReply =
  { kind: 'started'; url: string } | { kind: 'looked'; look: SoakLook } | { kind: 'closed' }

const BYTES_PER_MB = 1_000_000

// Opened before anything is counted.
const { stdout } = process
const warnings: string[] = []
const errors: string[] = []
let gateway: Awaited<ReturnType<typeof startLocalGateway>> | null = null

process.on('warning', warning => void warnings.push(`${warning.name}: ${warning.message}`))

function look(): SoakLook {
  const collect = (globalThis as { gc?: () => void }).gc
  collect?.()
  collect?.()
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const bytes = { rss, heapTotal, heapUsed, external, arrayBuffers }
  const memory = recordOf(Object.keys(bytes) as (keyof typeof bytes)[], name => bytes[name] / BYTES_PER_MB)
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return {
    memory,
    resources,
    listeners,
    warnings,
    errors,
  }
}

async function perform(command: SoakCommand): Promise<SoakReply> {
  if (command.kind === 'look') return { kind: 'looked', look: look() }
  if (command.kind === 'close') {
    await gateway?.close()
    gateway = null
    return { kind: 'closed' }
  }
  gateway = await startLocalGateway({
    config: parseGatewayConfig(command.configuration),
    variables: { BACKSTOP_CLIENT_KEYS: 'soak-key', AWS_ENDPOINT_URL_DYNAMODB: command.table },
    port: 0,
    memory: createRequestMemory(),
    log: line => void stdout.write(`${JSON.stringify(line)}\n`),
    onHandlerError: error => void errors.push(String(error)),
  })
  return { kind: 'started', url: gateway.facts.url }
}

process.on('message', (command: SoakCommand) => void perform(command).then(reply => process.send?.(reply)))
