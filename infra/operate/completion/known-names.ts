import shippedConfig from '#gateway-config'
import { SETTING_NAMES } from '../../../lambdas/core/settings/setting-values.ts'
import { endpointsOf } from '../../../lambdas/config/endpoints-of.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import * as z from 'zod/mini'
import { tableFactsSchema } from '../../local-contract.ts'
import type { KnownNames } from './complete-words.ts'

/** Nobody waits longer for a key that was pressed. */
const PATIENCE_MS = 400

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

type Asked = { url: string; key: string | undefined; signal: AbortSignal }

async function answered<Schema extends z.ZodMiniType>(
  schema: Schema,
  path: string,
  { url, key, signal }: Asked,
): Promise<z.infer<Schema> | null> {
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(new URL(path, url), { signal, headers })
    const { data } = schema.safeParse(await response.json())
    return data ?? null
  } catch {
    return null
  }
}

/** The names of the gateway at a URL; where none answers, those of the shipped configuration. */
export async function knownNames(url: string, key: string | undefined): Promise<KnownNames> {
  const asked = { url, key, signal: AbortSignal.timeout(PATIENCE_MS) }
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
