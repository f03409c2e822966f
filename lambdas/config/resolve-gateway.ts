import { perLimit, type Client } from '../core/callers/client-limits.ts'
import type { Chain } from '../core/endpoint.ts'
import { DEFAULT_SETTINGS } from '../core/settings/settings.ts'
import type { Settings } from '../core/settings/settings.ts'
import { PROVIDER_IDS } from '../providers/catalog.ts'
import { configWarnings } from './config-warnings.ts'
import { DEFAULT_REGION } from './environment.ts'
import type { ClientConfig, GatewayConfig, ModelConfig } from './gateway-config.ts'
import { resolveEndpoint } from './resolve-endpoint.ts'
import { resolveProvider } from './resolve-provider.ts'
import type { ResolvedProvider } from './resolve-provider.ts'
import { tiersOf } from './tiers-of.ts'
import { timeoutsOf } from './timeouts-of.ts'

/** A configuration with every default filled in: what the rest of the gateway works with. */
export type Gateway = {
  chains: ReadonlyMap<string, Chain>
  /** The alias that answers names which are none; null = none does. */
  defaultAlias: string | null
  clients: ReadonlyMap<string, Client>
  settings: Settings
  /** The catalogue and what the configuration adds to it: every id that may have keys. */
  providers: ReadonlyMap<string, ResolvedProvider>
  warnings: readonly string[]
}

/**
 * Turns a validated configuration into chains of fully resolved endpoints.
 * @param overrides what is stronger than the file: the environment, then the operator.
 * @param region the AWS region that stands in the base URLs of AWS itself.
 * @throws Error where the configuration was never validated and names a provider without a base URL.
 */
export function resolveGateway(
  config: GatewayConfig,
  overrides: Partial<Settings> = {},
  region = DEFAULT_REGION,
): Gateway {
  const models = Object.entries(config.models)
  const providers = resolveProviders(config, region)
  return {
    chains: new Map(
      models.map(([alias, model]) => [
        alias,
        resolveChain(alias, model, tiersOf(config.models, alias), providers),
      ]),
    ),
    defaultAlias: config.default ?? null,
    clients: new Map(
      Object.entries(config.clients ?? {}).map(([name, client]) => [name, resolveClient(client)]),
    ),
    settings: { ...DEFAULT_SETTINGS, ...config.settings, ...overrides },
    providers,
    warnings: configWarnings(config),
  }
}

function resolveClient({ models, concurrency, ...limits }: ClientConfig): Client {
  return {
    models: models ?? null,
    limits: { ...perLimit(name => limits[name] ?? null), concurrency: concurrency ?? null },
  }
}

function resolveProviders({ providers = {} }: GatewayConfig, region: string): Map<string, ResolvedProvider> {
  const configured = new Map(Object.entries(providers))
  const ids = new Set([...PROVIDER_IDS, ...configured.keys()])
  return new Map([...ids].map(id => [id, resolveProvider(id, configured.get(id) ?? {}, region)]))
}

function resolveChain(
  alias: string,
  model: ModelConfig<string>,
  tiers: ReturnType<typeof tiersOf>,
  providers: ReadonlyMap<string, ResolvedProvider>,
): Chain {
  const timeouts = timeoutsOf(model)
  const { kind = 'chat' } = model
  const { sticky = true, hedge = false } = model
  const ofKind = kind === 'chat' ? {} : { kind }
  return {
    alias,
    kind,
    buffer: model.buffer ?? false,
    ...(model.clients && { clients: model.clients }),
    ...(sticky ? {} : { sticky }),
    ...(hedge && { hedge: { afterMs: hedge === true ? null : hedge.afterMs } }),
    strategy: model.strategy ?? 'priority',
    tiers: tiers.map(tier =>
      tier.map(entry => ({ ...resolveEndpoint(entry, timeouts, providers), ...ofKind })),
    ),
  }
}
