import type { StateKey } from '../../core/item-keys.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetStore } from '../../store/fleet-store.ts'
import type { ItemByKind, ItemKind, StateItem } from '../../store/state-item.ts'
import type { FleetView, StateItems } from './fleet-view.ts'

/** A new value for an item; key and version are not its own business. */
type NewValue<Kind extends ItemKind> = Omit<ItemByKind[Kind], 'version' | 'key' | 'kind'>

/** What is to become of an item: a new value, removal (null), or nothing. */
export type Decision<Kind extends ItemKind> = NewValue<Kind> | null | 'keep'

export type Change<Kind extends ItemKind> = {
  before: ItemByKind[Kind] | null
  after: ItemByKind[Kind] | null
}

export type ChangeTools = { store: FleetStore; view: FleetView; clock: Clock }

const MAX_TRIES = 4

const ofKind = <Kind extends ItemKind>(item: StateItem | null | undefined, kind: Kind) =>
  item?.kind === kind ? (item as ItemByKind[Kind]) : null

/** The known item under a key, where it is of the kind that the key promises. */
export function itemAt<Kind extends ItemKind>(
  items: StateItems,
  kind: Kind,
  key: StateKey,
): ItemByKind[Kind] | null {
  return ofKind(items.get(key), kind)
}

/**
 * Changes one item on condition that it is still what was read: decides from the known picture, and where someone
 * was faster, reads again and decides again, a bounded number of times. Returns what changed; null = nothing.
 * Rejects with `StoreError`.
 */
export async function changeItem<Kind extends ItemKind>(
  { store, view, clock }: ChangeTools,
  kind: Kind,
  key: ItemByKind[Kind]['key'],
  decide: (item: ItemByKind[Kind] | null) => Decision<Kind>,
): Promise<Change<Kind> | null> {
  let before = itemAt(view.known(), kind, key)
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const decision = decide(before)
    if (decision === 'keep' || (decision === null && !before)) return null
    // Time keeps the versions of an item that was removed and made anew apart, so that a late writer cannot win.
    const version = Math.max((before?.version ?? 0) + 1, clock.now())
    const after = decision && ({ ...decision, kind, key, version } as unknown as ItemByKind[Kind])
    const result = after
      ? await store.putStateItem(after, before?.version ?? null)
      : await store.deleteStateItem(key, before?.version ?? 0)
    if (result === 'written') {
      view.learned(key, after, version)
      return { before, after }
    }
    const found = await store.readStateItem(key)
    view.learned(key, found, found?.version ?? before?.version ?? 0)
    before = ofKind(found, kind)
  }
  return null
}
