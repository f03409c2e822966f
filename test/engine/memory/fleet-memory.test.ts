import { expect, test } from 'vitest'
import { endpointKey } from '../../../lambdas/core/item-keys.ts'
import { quarantineEndpoint } from '../../../lambdas/engine/operate/operate-endpoint.ts'
import type { Stats } from '../../../lambdas/store/fleet-store.ts'
import { endpointNamed } from '../../core/build.ts'
import { createInstance } from '../../fleet/instances/engine-instance.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'

const ONE = endpointNamed('up/one')

test('a description is as old as the items that it tells, whatever was read while it counted', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const counters = Promise.withResolvers<ReadonlyMap<string, Stats>>()
  await using instance = createInstance({
    store: { ...store, readStats: () => counters.promise },
    clock,
    endpoints: [ONE],
  })
  await quarantineEndpoint(instance.tools, ONE, '')
  clock.pass(3_000)
  const lookedAt = clock.now()
  const described = instance.memory.describe()
  await instance.memory.snapshot()

  clock.pass(3_000)
  const [item] = store.items()
  await store.deleteStateItem(endpointKey(ONE.id), item?.version ?? 0)
  await instance.memory.snapshot()

  counters.resolve(new Map())
  expect(await described).toMatchObject({ rows: [{ health: 'quarantined' }], readAt: lookedAt })
  expect(await instance.memory.describe()).toMatchObject({
    rows: [{ health: 'healthy' }],
    readAt: clock.now(),
  })
})
