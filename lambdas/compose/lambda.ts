import config from '#gateway-config'
import type { GatewayOptions } from './gateway.ts'
import { firstEndpoints } from '../config/tiers-of.ts'
import { readEnvironment } from '../config/environment.ts'
import { createSecretKeys } from '../keys/secret-keys.ts'
import { createSecretReader } from '../keys/secret-reader.ts'
import { signedProviders } from '../keys/signed-providers.ts'
import { ENVIRONMENT } from '../contract.ts'
import { DEFAULT_SETTINGS, type Settings } from '../core/settings/settings.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { createMetricLog } from '../platform/metric-log.ts'
import { type DynamoLimits, createDynamoClients } from '../store/dynamo-client.ts'
import { createDynamoStore } from '../store/dynamo-store.ts'

/** What a deployed function is made of: the inlined configuration, the fleet's table, the stack's secret, stdout. */
export function lambdaOptions({
  clock = systemClock,
  tableLimits,
}: { clock?: Clock; tableLimits?: DynamoLimits } = {}): GatewayOptions {
  // Keys are the secret's: none is looked for in the environment.
  const environment = readEnvironment([])
  const { table, secret, stack, metricNamespace: namespace, aws } = environment
  if (!table || !secret)
    throw new Error(
      `The function needs ${ENVIRONMENT.table} and ${ENVIRONMENT.secret}, which the stack sets.`,
    )
  const { now } = clock
  let settings = (): Pick<Settings, 'metric_sets_max'> => DEFAULT_SETTINGS
  const log = createMetricLog({
    chains: firstEndpoints(config.models),
    mostSets: () => settings().metric_sets_max,
    level: config.deploy?.metrics,
    namespace,
    now,
    write: text => void process.stdout.write(text),
  })
  return {
    config,
    environment,
    keys: createSecretKeys({
      readSecret: createSecretReader(secret, environment.sdkAccess('SECRETS_MANAGER')),
      signed: signedProviders(aws, config.providers),
      callersVerified: config.deploy?.auth === 'iam',
      stack,
      now,
      log,
    }),
    store: createDynamoStore({
      clients: createDynamoClients(environment.sdkAccess('DYNAMODB'), tableLimits),
      table,
      now,
    }),
    clock,
    log,
    onSettings(inForce) {
      settings = inForce
    },
  }
}
