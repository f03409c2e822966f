import type { Chain } from '../endpoint.ts'
import type { Client } from './client-limits.ts'

/** Whether a caller may use an alias: by what is said of the caller, and by what is said of the alias. */
export function mayUse(name: string, client: Client | null, { alias, clients }: Chain): boolean {
  const isListed = client?.models?.includes(alias) ?? true
  return isListed && (clients?.includes(name) ?? true)
}

/**
 * Whether a caller may use an endpoint that it names itself: one that is only in chains that are closed to it is closed
 * to it in this way too.
 */
export function mayUseDirectly(
  name: string,
  client: Client | null,
  endpointId: string,
  chains: Iterable<Chain>,
): boolean {
  if (client?.models) return false
  const leading = [...chains].filter(({ tiers }) => tiers.flat().some(({ id }) => id === endpointId))
  return leading.length === 0 || leading.some(chain => mayUse(name, client, chain))
}
