import { describe, expect, it } from 'vitest'
import { createFleetView } from '../../../lambdas/engine/memory/fleet-view.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import type { StateItem } from '../../../lambdas/store/state-item.ts'
import { StoreError } from '../../../lambdas/store/store-error.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { breakerItem, endpointItem } from '../../store/state-items.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'

type Look = { answer(...items: readonly StateItem[]): void; fail(): void }

/** A view over a table whose looks end when the test says so. */
function start() {
  const clock = createFakeClock()
  const looks: Look[] = []
  const errors: unknown[] = []
  const store: FleetStore = {
    ...createMemoryStore(clock),
    readState() {
      const { promise, resolve, reject } = Promise.withResolvers<{
        items: readonly StateItem[]
        garbage: number
      }>()
      looks.push({
        answer: (...items) => resolve({ items, garbage: 0 }),
        fail: () => reject(new StoreError('gone')),
      })
      return promise
    },
  }
  const view = createFleetView(store, clock, { error: error => void errors.push(error), garbage: () => {} })
  return { clock, looks, errors, view }
}

const keysOf = (items: ReadonlyMap<string, StateItem>): string[] => [...items.keys()]
const old = endpointItem('old')
const current = endpointItem('current')

describe('a look at the table', () => {
  it('serves everybody for a second', async () => {
    const { clock, looks, view } = start()
    view.look()
    looks[0]?.answer(current)
    expect(keysOf(await view.current(50))).toEqual([current.key])
    clock.pass(999)
    await view.current(50)
    expect(looks).toHaveLength(1)
    clock.pass(1)
    void view.current(50)
    expect(looks).toHaveLength(2)
  })

  it('is waited for only so long: then the old picture is used, whatever its age', async () => {
    const { clock, looks, view } = start()
    view.look()
    looks[0]?.answer(old)
    await view.current(50)
    clock.pass(3_600_000)
    const before = clock.now()
    expect(keysOf(await view.current(50))).toEqual([old.key])
    expect(clock.now() - before).toBe(50)
    looks[1]?.answer(current)
    expect(keysOf(await view.current(50))).toEqual([current.key])
    expect(looks).toHaveLength(2)
  })

  it('is made once, however many wait for it', async () => {
    const { clock, looks, view } = start()
    view.look()
    const waiting = [view.current(50), view.current(50), view.current(50)]
    looks[0]?.answer(current)
    await Promise.all(waiting)
    expect(looks).toHaveLength(1)
    expect(clock.now()).toBe(view.readAt)
  })

  it('that was frozen with its instance is dropped: the next invocation looks anew', async () => {
    const { clock, looks, view } = start()
    view.look()
    clock.pass(600_000)
    const picture = view.current(50)
    expect(looks).toHaveLength(2)
    looks[1]?.answer(current)
    expect(keysOf(await picture)).toEqual([current.key])
    looks[0]?.answer(old)
    await Promise.resolve()
    expect(keysOf(await view.current(50))).toEqual([current.key])
  })

  it('that fails leaves the old picture, reports it, and the next one is made at once', async () => {
    const { clock, looks, errors, view } = start()
    view.look()
    looks[0]?.answer(old)
    await view.current(50)
    clock.pass(1_000)
    view.look()
    looks[1]?.fail()
    expect(keysOf(await view.current(50))).toEqual([old.key])
    expect(errors).toHaveLength(1)
    view.look()
    expect(looks).toHaveLength(3)
  })
})

describe('what this instance wrote itself', () => {
  async function started() {
    const parts = start()
    parts.view.look()
    parts.looks[0]?.answer(old)
    await parts.view.current(50)
    return parts
  }

  it('is seen at once, and by a look that does not know it yet', async () => {
    const { clock, looks, view } = await started()
    const mine = breakerItem('mine', { version: 5 })
    view.learned(mine.key, mine, 5)
    view.learned(old.key, null, 2)
    expect(keysOf(view.known())).toEqual([mine.key])
    clock.pass(1_000)
    const picture = view.current(50)
    looks[1]?.answer(old)
    expect(keysOf(await picture)).toEqual([mine.key])
  })

  it('gives way to what others have written since, and to the table after two seconds', async () => {
    const { clock, looks, view } = await started()
    view.learned(old.key, { ...old, version: 5 }, 5)
    clock.pass(1_000)
    const newer = view.current(50)
    looks[1]?.answer({ ...old, version: 6 })
    expect((await newer).get(old.key)?.version).toBe(6)
    view.learned(old.key, { ...old, version: 7 }, 7)
    clock.pass(2_001)
    const later = view.current(50)
    looks[2]?.answer()
    expect(keysOf(await later)).toEqual([])
  })
})

describe('what an instance has seen itself', () => {
  const seen = endpointItem('seen', { version: 7 })

  it('is obeyed at once, for a minute, where the table does not say otherwise', async () => {
    const { clock, view } = start()
    view.foresee(seen.key, seen)
    expect(keysOf(view.known())).toEqual([seen.key])
    expect(view.stored(seen.key)).toBeNull()
    clock.pass(60_000)
    expect(keysOf(view.known())).toEqual([seen.key])
    clock.pass(1)
    expect(keysOf(view.known())).toEqual([])
  })

  it('gives way to a newer item, and to a table that was asked', async () => {
    const { looks, view } = start()
    view.foresee(seen.key, seen)
    view.look()
    looks[0]?.answer(endpointItem('seen', { version: 1 }))
    await view.current(50)
    expect(view.known().get(seen.key)?.version).toBe(1)
    view.foresee(seen.key, seen)
    view.settle(seen.key)
    expect(view.known().get(seen.key)?.version).toBe(1)
  })
})

it('the first look of an instance is waited for longer, once', async () => {
  const { clock, view } = start()
  const before = clock.now()
  await view.current(50, 500)
  expect(clock.now() - before).toBe(500)
  await view.current(50, 500)
  expect(clock.now() - before).toBe(550)
})
