import { GatewayError } from '../../core/routing/gateway-error.ts'
import type { FleetMemory } from '../../engine/memory/fleet-memory.ts'
import { jsonReply, type Reply } from './reply.ts'
import { modeHeader } from './response-headers.ts'

/** `GET /v1/endpoints`: what the fleet remembers. Throws `GatewayError` where the table cannot be read. */
export async function endpointsReply(memory: Pick<FleetMemory, 'describe' | 'snapshot'>): Promise<Reply> {
  const data = await memory.describe().catch(() => {
    throw new GatewayError(
      'memory_unavailable',
      "The table with the fleet's memory cannot be read right now.",
    )
  })
  const { degraded } = await memory.snapshot()
  const mode = degraded ? 'degraded' : 'normal'
  return jsonReply(200, { object: 'list', mode, data }, modeHeader(degraded))
}
