import { capabilityKey } from '../../core/item-keys.ts'
import { remember, type Refusal } from '../../core/refusals/refusals.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { changeItem } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

/** Remembers what an endpoint refused, for as long as the setting says, and logs what is new. */
export async function rememberRefusal(
  tools: MemoryTools,
  { id, provider }: Pick<Endpoint, 'id' | 'provider'>,
  refusal: Refusal,
): Promise<void> {
  const { clock, settings, log } = tools
  const change = await changeItem(tools, 'capability', capabilityKey(id), item => {
    const before = item?.refusals ?? []
    const refusals = remember(before, refusal, clock.now(), settings().capability_memory_ms)
    if (refusals === before) return 'keep'
    return { refusals, expiresAt: Math.ceil(Math.max(...refusals.map(({ until }) => until)) / 1_000) }
  })
  if (change) log({ event: 'capability-learned', endpoint: id, provider, ...refusal })
}

/** Forgets all that an endpoint refused. False = nothing was remembered. */
export async function forgetRefusals(tools: MemoryTools, { id }: Pick<Endpoint, 'id'>): Promise<boolean> {
  return (await changeItem(tools, 'capability', capabilityKey(id), () => null)) !== null
}
