import type { StatsKey } from '../../../lambdas/core/item-keys.ts'
import { PATIENT_LIMITS, createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import { bucketsOf, type CounterKind } from '../../../lambdas/core/health/counter-names.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { LOCAL_TABLE } from '../../../infra/local/table/dynamo.ts'

/** The fleet's table at an endpoint, for a test to look into. */
export function openStore(endpoint: string): { store: FleetStore; close(): void } {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const clients = createDynamoClients({ endpoint, region: 'us-east-1', credentials }, PATIENT_LIMITS)
  const store = createDynamoStore({ clients, table: LOCAL_TABLE, now: Date.now })
  return { store, close: clients.destroy }
}

/** What all buckets of a counter add up to, in all of these items. */
export async function totalOf(
  store: FleetStore,
  keys: readonly StatsKey[],
  kind: CounterKind,
): Promise<number> {
  const found = await store.readCounts(keys)
  return found
    .flatMap(counters => [...bucketsOf(counters, kind).values()])
    .reduce((sum, count) => sum + count, 0)
}
