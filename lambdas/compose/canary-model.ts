import type { GatewayConfig } from '../config/gateway-config.ts'

/** The alias that the canary asks for: the configured one, else the first that answers chats; null = no canary. */
export function canaryModel({ deploy, models }: GatewayConfig): string | null {
  const { canary = false } = deploy ?? {}
  if (canary === false) return null
  if (canary !== true) return canary.model
  return Object.entries(models).find(([, { kind }]) => kind !== 'embeddings')?.[0] ?? null
}
