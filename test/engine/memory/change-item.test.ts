import { describe, expect, it } from 'vitest'
import { changeItem, type ChangeTools } from '../../../lambdas/engine/memory/change-item.ts'
import { createFleetView } from '../../../lambdas/engine/memory/fleet-view.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import type { ModeItem } from '../../../lambdas/store/state-item.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'

const KEY = 'mode'

function start(change: Partial<FleetStore> = {}) {
  const clock = createFakeClock()
  const memory = createMemoryStore(clock)
  const store = { ...memory, ...change }
  const report = { error: () => {}, garbage: () => {} }
  const instance = (): ChangeTools => ({ store, clock, view: createFleetView(store, clock, report) })
  return { clock, memory, store, instance }
}

/** One second more than whatever it was. */
const prolong = (item: ModeItem | null) => {
  const since = item?.mode.state === 'degraded' ? item.mode.since + 1_000 : 1_000
  return { mode: { state: 'degraded', since, enoughSince: null }, expiresAt: null } as const
}

describe('a change of an item', () => {
  it('is decided again from what is there, where someone was faster', async () => {
    const { memory, instance } = start()
    const fleet = [instance(), instance(), instance()]
    const changes = await Promise.all(fleet.map(tools => changeItem(tools, 'mode', KEY, prolong)))
    expect(changes.every(change => change !== null)).toBe(true)
    expect(memory.items()).toMatchObject([{ mode: { since: 3_000 } }])
  })

  it('is given up after four conflicts', async () => {
    const { instance, memory } = start({ putStateItem: async () => 'conflict' })
    let decisions = 0
    const change = await changeItem(instance(), 'mode', KEY, item => {
      decisions += 1
      return prolong(item)
    })
    expect([change, decisions, memory.items()]).toEqual([null, 4, []])
  })

  it('is not written where nothing is to change, nor removed where nothing is', async () => {
    const { memory, instance } = start()
    expect(await changeItem(instance(), 'mode', KEY, () => 'keep')).toBeNull()
    expect(await changeItem(instance(), 'mode', KEY, () => null)).toBeNull()
    expect(memory.calls('putStateItem') + memory.calls('deleteStateItem')).toBe(0)
  })

  it('makes the newer state known to its instance, also where it lost and kept it', async () => {
    const { instance } = start()
    const [winner, loser] = [instance(), instance()]
    await changeItem(winner, 'mode', KEY, prolong)
    const change = await changeItem(loser, 'mode', KEY, item => (item ? 'keep' : prolong(item)))
    expect(change).toBeNull()
    expect(loser.view.known().get(KEY)).toEqual(winner.view.known().get(KEY))
  })

  it('of an item that was removed and made anew meanwhile is decided again too', async () => {
    const { memory, clock, instance } = start()
    const [late, other] = [instance(), instance()]
    await changeItem(late, 'mode', KEY, prolong)
    clock.pass(10)
    other.view.look()
    await other.view.current(50)
    await changeItem(other, 'mode', KEY, () => null)
    clock.pass(10)
    await changeItem(other, 'mode', KEY, prolong)
    await changeItem(late, 'mode', KEY, prolong)
    expect(memory.items()).toMatchObject([{ mode: { since: 2_000 } }])
  })
})
