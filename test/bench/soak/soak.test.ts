import { Agent } from 'node:http'
import { expect, it } from 'vitest'
import { quotaAddress, quotaKey } from '../../../lambdas/core/item-keys.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { createMemoryStore, type MemoryStore } from '../../support/tables/memory-store.ts'
import { judgeCounts } from './judge-soak.ts'
import { createSoakClient } from './soak-client.ts'
import { createSoakLog } from './soak-log.ts'
import { countTable } from './soak-table.ts'
import { startSoakUpstreams } from './soak-upstreams.ts'

/** Longer than an instance keeps successes to itself. */
const WRITTEN_AFTER_MS = 11_000
/** Only what is said of simultaneous requests stands there, and none is under way. */
const LIMITED = quotaKey('well', null, null)

async function itemsOf(store: MemoryStore): Promise<Record<string, unknown>[]> {
  const stats = [...(await store.readStats())].map(([sk, { counters }]) => ({ sk, ...counters }))
  const usage = store.usageAddresses().map(at => ({ ...at, ...store.usageAt(at) }))
  return [...stats, ...usage, { ...quotaAddress(LIMITED), ...store.quotaAt(LIMITED) }]
}

it('no request is lost between the log, its metrics and the table, and every place of a limit is given back', async () => {
  await using upstreams = await startSoakUpstreams()
  let aheadMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const store = createMemoryStore(clock)
  await using gateway = await startGateway(upstreams.configuration, {}, { clock, store })
  const agent = new Agent({ keepAlive: true })
  const client = createSoakClient({ url: gateway.url, key: 'any', agent })
  try {
    const long = client.sendLong(5)
    await client.sendMany(100, 25)
    upstreams.endLongStreams()
    await long
    await gateway.settled()
    aheadMs = WRITTEN_AFTER_MS
    await client.sendLast()
    await gateway.settled()
  } finally {
    agent.destroy()
  }
  const log = createSoakLog()
  for (const line of gateway.lines) log.note(line)
  expect(judgeCounts(client.sent, log, countTable(await itemsOf(store), clock.now()))).toEqual([])
  expect(store.usageAddresses()).not.toEqual([])
  expect(Object.keys(store.quotaAt(LIMITED))).not.toEqual([])
  expect(gateway.handlerErrors).toEqual([])
}, 60_000)
