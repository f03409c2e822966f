import shippedConfig from '#gateway-config'
import { SETTING_NAMES } from '../../../lambdas/core/settings/setting-values.ts'
import { endpointsOf } from '../../../lambdas/config/endpoints-of.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import * as z from 'zod/mini'
import { tableFactsSchema } from '../../local-contract.ts'
import type { GatewayAddress } from '../fleet/gateway-address.ts'
import type { KnownNames } from './complete-words.ts'

/** Nobody waits longer for a key that was pressed. */
const PATIENCE_MS = 400

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

type Asked = { address: GatewayAddress | null; signal: AbortSignal }

async function answered<Schema extends z.ZodMiniType>(
  schema: Schema,
  path: string,
  { address, signal }: Asked,
): Promise<z.infer<Schema> | null> {
  if (address === null) return null
  const { url, clientKey } = address
  try {
    const headers = clientKey === null ? {} : { authorization: `Bearer ${clientKey}` }
    const response = await fetch(url + path, { signal, headers })
    const { data } = schema.safeParse(await response.json())
    return data ?? null
  } catch {
    return null
  }
}

/** The names of the gateway at an address; where none answers, those of the shipped configuration. */
export async function knownNames(address: GatewayAddress | null): Promise<KnownNames> {
  const asked = { address, signal: AbortSignal.timeout(PATIENCE_MS) }
  const [facts, models] = await Promise.all([
    answered(tableFactsSchema, '/local/table', asked),
    answered(modelsSchema, '/v1/models', asked),
  ])
  const { chains } = resolveGateway(parseGatewayConfig(shippedConfig))
  const endpoints = facts?.endpoints ?? endpointsOf({ chains })
  return {
    model: models?.data.map(({ id }) => id) ?? [...chains.keys()],
    endpoint: endpoints.map(({ name }) => name),
    provider: [...new Set(endpoints.map(({ provider }) => provider))],
    setting: SETTING_NAMES.map(name => `${name}=`),
  }
}
