import { PROVIDER_IDS, providerRow } from '../providers/catalog.ts'
import type { AwsIdentity } from '../config/environment.ts'
import type { GatewayConfig, ProviderConfig } from '../config/gateway-config.ts'

/**
 * Providers that take a signature of this AWS identity instead of a key, those that the configuration makes like them
 * included; none where there are no credentials.
 */
export function signedProviders(
  { credentials }: AwsIdentity,
  configured: GatewayConfig['providers'] = {},
): readonly string[] {
  if (credentials === null) return []
  const likes = Object.entries<ProviderConfig>(configured).map(([id, { like = id }]) => [id, like] as const)
  const rows = new Map([...PROVIDER_IDS.map(id => [id, id] as const), ...likes])
  return [...rows].flatMap(([id, like]) => (providerRow(like).signedAs === null ? [] : [id]))
}
