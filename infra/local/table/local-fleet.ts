import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { type Clock, systemClock } from '../../../lambdas/platform/clock.ts'
import { PATIENT_LIMITS, createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { startScheduler } from '../scheduler.ts'
import { openLocalTable } from './dynamo.ts'
import { sweepExpired } from './sweep-expired.ts'

// dynalite keeps what has expired, and its table would only grow.
const SWEEP_EVERY_MS = 60_000

/** The fleet's memory on this machine. */
export type LocalFleet = {
  store: FleetStore
  /** The same table for what can wait, because no request does. */
  patientStore: FleetStore
  /** Where the table is, and its name. */
  endpoint: string
  table: string
  /** False: other gateways may share it. */
  embedded: boolean
  readTable(): Promise<readonly object[]>
  close(): Promise<void>
}

/** Opens the table that local gateways share, or one of its own. */
export async function openLocalFleet(
  variables: Readonly<Record<string, string | undefined>>,
  { clock = systemClock, inThread = false }: { clock?: Clock; inThread?: boolean } = {},
): Promise<LocalFleet> {
  const { endpoint, table, embedded, access, close } = await openLocalTable(variables, { inThread })
  const clients = createDynamoClients(access)
  const patient = createDynamoClients(access, PATIENT_LIMITS)
  // The next one sweeps what this one could not.
  const sweep = (): Promise<void> => sweepExpired(patient.writes, table, clock.now()).catch(() => undefined)
  const stopSweeping = embedded ? startScheduler(SWEEP_EVERY_MS, sweep, clock) : null
  return {
    store: createDynamoStore({ clients, table, now: clock.now }),
    patientStore: createDynamoStore({ clients: patient, table, now: clock.now }),
    endpoint,
    table,
    embedded,
    async readTable() {
      const items: object[] = []
      for await (const { Items = [] } of paginateScan({ client: patient.reads }, { TableName: table })) {
        items.push(...Items)
      }
      return items
    },
    async close() {
      await stopSweeping?.()
      clients.destroy()
      patient.destroy()
      await close()
    },
  }
}
