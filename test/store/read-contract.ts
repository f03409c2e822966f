import { describe, expect, it } from 'vitest'
import type { StateItem } from '../../lambdas/store/state-item.ts'
import { GARBAGE } from './garbage.ts'
import { breakerItem, capabilityItem, endpointItem, NOW, NOW_SECONDS } from './state-items.ts'
import type { OpenTable } from './tables.ts'

/** A page of DynamoDB is one megabyte. */
const PAGE_BYTES = 1_048_576
const AT_A_TIME = 10
const FAR_FUTURE = Date.UTC(9_999, 11, 31)

const numbered = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))
const byKey = (items: readonly StateItem[]): StateItem[] =>
  items.toSorted((left, right) => left.key.localeCompare(right.key))

const named = (index: number): string => `provider/model-${String(index).padStart(4, '0')}`

const bulky = (index: number, refusals: number): StateItem =>
  capabilityItem(named(index), {
    refusals: numbered(refusals, count => ({ what: 'param', name: `field_${count}`, until: NOW })),
  })

/** The whole picture: pages, size, expiry, garbage. */
export function describeStateReads(current: () => OpenTable): void {
  async function fill(items: readonly StateItem[]): Promise<void> {
    const { store } = current()
    // DynamoDB Local takes one lock for each write, and gives up on those that wait long for it.
    for (let first = 0; first < items.length; first += AT_A_TIME)
      await Promise.all(items.slice(first, first + AT_A_TIME).map(item => store.putStateItem(item, null)))
  }

  describe('the state', () => {
    it('of a healthy fleet is empty', async () => {
      expect(await current().store.readState()).toEqual({ items: [], garbage: 0 })
    })

    it('holds 200 endpoints', async () => {
      const items = numbered(200, index => endpointItem(named(index)))
      await fill(items)
      const found = await current().store.readState()
      expect({ ...found, items: byKey(found.items) }).toEqual({ items: byKey(items), garbage: 0 })
    })

    it('is read to its last page', async () => {
      const items = numbered(60, index => bulky(index, 900))
      expect(JSON.stringify(items).length).toBeGreaterThan(2.5 * PAGE_BYTES)
      await fill(items)
      const { items: found, garbage } = await current().store.readState()
      expect(byKey(found).map(({ key }) => key)).toEqual(byKey(items).map(({ key }) => key))
      expect(garbage).toBe(0)
    })

    it('knows nothing of counters', async () => {
      const { store, clock } = current()
      await store.addCounts('endpoint#a/one', { e1: 1 }, [], clock.now)
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
      expect(await store.readStateItem('endpoint#a/one')).toBeNull()
    })

    it('is empty where everything has expired, and leaves room for what is new', async () => {
      const expired = numbered(300, index =>
        breakerItem(`scope-${index}`, { expiresAt: NOW_SECONDS - (index % 100) }),
      )
      await fill(expired)
      const { store } = current()
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
      const [first = breakerItem('none')] = expired
      const anew = { ...first, expiresAt: NOW_SECONDS + 1 }
      expect(await store.putStateItem(anew, null)).toBe('written')
      expect(await store.readState()).toEqual({ items: [anew], garbage: 0 })
    })

    it('keeps a quarantine whatever the clock says', async () => {
      const { store, clock } = current()
      const item = endpointItem('a/one')
      await fill([item, breakerItem('a')])
      clock.now = FAR_FUTURE
      expect(await store.readState()).toEqual({ items: [item], garbage: 0 })
      expect(await store.readStateItem(item.key)).toEqual(item)
      expect(await store.putStateItem(item, null)).toBe('conflict')
    })
  })

  describe('items of the version before', () => {
    it('are read where they never expire, and wait for their end otherwise', async () => {
      const { store, plant } = current()
      const failure = { kind: 'model_not_found', status: 404, message: 'gone', at: NOW }
      const health = { state: 'quarantined', since: NOW, probe: { dueAt: NOW + 1, failures: 3 }, failure }
      const old = { pk: 'state', version: 4 }
      await plant({ ...old, sk: 'endpoint#a/one', kind: 'endpoint', health, leaseUntil: 0 })
      await plant({
        ...old,
        sk: 'breaker#a',
        kind: 'breaker',
        breaker: { state: 'open', openedAt: NOW },
        failuresUntil: 0,
      })
      await plant({ ...old, sk: 'cooldown#model#a/one', kind: 'cooldown', cooldown: { until: NOW + 1 } })
      const { items, garbage } = await store.readState()
      expect(garbage).toBe(0)
      expect(items).toMatchObject([
        {
          key: 'endpoint#a/one',
          health: { state: 'quarantined', probe: { failures: 3 }, cause: 'model_not_found' },
        },
      ])
      expect(await store.putStateItem(endpointItem('a/one', { version: 5 }), 4)).toBe('written')
    })
  })

  describe('garbage', () => {
    it.each(GARBAGE)('is left out and counted: %s', async (_, garbage) => {
      const { store, plant } = current()
      const good = endpointItem('a/good')
      await fill([good])
      await plant(garbage)
      expect(await store.readState()).toEqual({ items: [good], garbage: 1 })
    })

    it('reads as absent when it is asked for alone', async () => {
      const { store, plant } = current()
      await plant({ pk: 'state', sk: 'endpoint#a/one', kind: 'prophecy', version: 1 })
      expect(await store.readStateItem('endpoint#a/one')).toBeNull()
    })

    it('without a version of ours is written over', async () => {
      const { store, plant } = current()
      for (const version of [undefined, 'first', null, [1]]) {
        await plant({ pk: 'state', sk: 'endpoint#a/one', version })
        expect(await store.putStateItem(endpointItem('a/one'), null)).toBe('written')
      }
    })

    it('with a version is not: a newer version of us may know what it means', async () => {
      const { store, plant } = current()
      await plant({ pk: 'state', sk: 'endpoint#a/one', kind: 'prophecy', version: 1 })
      expect(await store.putStateItem(endpointItem('a/one'), null)).toBe('conflict')
    })
  })
}
