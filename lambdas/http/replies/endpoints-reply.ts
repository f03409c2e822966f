import { GatewayError } from '../../core/routing/gateway-error.ts'
import type { FleetMemory } from '../../engine/memory/fleet-memory.ts'
import { jsonReply, type Reply } from './reply.ts'

/** `GET /v1/endpoints`: what the fleet remembers. Throws `GatewayError` where the table cannot be read. */
export async function endpointsReply(memory: Pick<FleetMemory, 'describe'>): Promise<Reply> {
  const data = await memory.describe().catch(() => {
    throw new GatewayError(
      'memory_unavailable',
      "The table with the fleet's memory cannot be read right now.",
    )
  })
  return jsonReply(200, { object: 'list', data })
}
