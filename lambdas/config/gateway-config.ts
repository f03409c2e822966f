import type * as z from 'zod/mini'
import type { Settings } from '../core/settings/settings.ts'
import type { ProviderId } from '../providers/catalog.ts'
import type { endpointConfigSchema, modelConfigSchema, providerConfigSchema } from './schema/config-schema.ts'
import type { deploySchema } from './schema/deploy-schema.ts'
import type { clientSchema } from './schema/clients-schema.ts'
import { ConfigError } from './config-error.ts'
import { findProblems } from './checks/find-problems.ts'

/**
 * `<provider>/<upstream model>`. The first half of the union is what an editor completes; a string's own
 * `length` on the second keeps the compiler from folding the first into it.
 */
export type EndpointReference<Own extends string = never> =
  `${ProviderId | Own}/` | (`${ProviderId | Own}/${string}` & { readonly length: number })

/** What the stack is built with; the gateway itself reads `auth` alone. */
export type DeployConfig = z.infer<typeof deploySchema>

export type ProviderConfig = z.infer<typeof providerConfigSchema>

export type EndpointConfig<Own extends string = never> = Omit<
  z.infer<typeof endpointConfigSchema>,
  'endpoint'
> & { endpoint: EndpointReference<Own> }

export type ModelConfig<Own extends string = never> = Omit<z.infer<typeof modelConfigSchema>, 'tiers'> & {
  tiers: readonly TierConfig<Own>[]
}

/** Endpoints that serve the same model, or the chain of another alias. */
export type TierConfig<Own extends string = never> =
  readonly (EndpointReference<Own> | EndpointConfig<Own>)[] | { readonly alias: string }

/** What one caller may use, and how much of it. */
export type ClientConfig = z.infer<typeof clientSchema>

/** What a user writes. `Own` are the ids of providers that the catalogue does not know. */
export type GatewayConfig<Own extends string = string> = {
  providers?: { [Id in ProviderId]?: ProviderConfig } & { [Id in Own]: ProviderConfig }
  models: { [alias: string]: ModelConfig<NoInfer<Own>> }
  /** The alias that answers names which are none. */
  default?: string
  /** By the name of the caller's key; `*` stands for every caller without an entry of its own. */
  clients?: { [name: string]: ClientConfig }
  settings?: Partial<Settings>
  deploy?: DeployConfig
}

/** Gives a configuration its types, so that an editor completes and checks it; changes nothing. */
export function defineGateway<const Own extends string = never>(config: GatewayConfig<Own>): GatewayConfig {
  return config
}

/** A configuration of unknown origin as one that can be resolved. @throws ConfigError that lists every problem. */
export function parseGatewayConfig(value: unknown): GatewayConfig {
  const problems = findProblems(value)
  if (problems.length > 0) throw new ConfigError(problems)
  return value as GatewayConfig
}
