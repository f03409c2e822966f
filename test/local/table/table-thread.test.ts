import { expect, it } from 'vitest'
import { openLocalFleet } from '../../../infra/local/table/local-fleet.ts'
import { openLocalTable } from '../../../infra/local/table/dynamo.ts'
import { createTurnedClock } from '../../support/clocks/turned-clock.ts'

it('a table in a thread of its own answers, and ends with it', async () => {
  const { endpoint, embedded, close } = await openLocalTable({}, { inThread: true })
  expect(embedded).toBe(true)
  await expect(fetch(endpoint)).resolves.toBeDefined()
  await close()
  await expect(fetch(endpoint)).rejects.toThrow('fetch failed')
})

it('an embedded table keeps nothing that has expired', async () => {
  const ticks: (() => void)[] = []
  const clock = createTurnedClock()
  const by = { ...clock, after: (_ms: number, tick: () => void) => (ticks.push(tick), () => undefined) }
  const { patientStore: store, readTable, close } = await openLocalFleet({}, { clock: by, inThread: true })
  const later = clock.now() + 3_600_000
  await store.addCounts('endpoint#up/m', { f1: 1 }, [], clock.now() + 5_000)
  await store.addCounts('endpoint#up/n', { f1: 1 }, [], later)
  expect(await readTable()).toHaveLength(2)
  clock.pass(61_000)
  ticks[0]?.()
  await expect.poll(readTable).toMatchObject([{ expiresAt: Math.ceil(later / 1_000) }])
  await close()
})
