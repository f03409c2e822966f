import type { StateKey } from '../../core/item-keys.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetStore } from '../../store/fleet-store.ts'
import type { ItemByKind, ItemKind, StateItem } from '../../store/state-item.ts'
import type { FleetView, StateItems } from './fleet-view.ts'

/** A new value for an item; key and version are not its own business. */
export type NewValue<Kind extends ItemKind> = Omit<ItemByKind[Kind], 'version' | 'key' | 'kind'>

/** What is to become of an item: a new value, removal (null), or nothing. */
export type Decision<Kind extends ItemKind> = NewValue<Kind> | null | 'keep'

export type Change<Kind extends ItemKind> = {
  before: ItemByKind[Kind] | null
  after: ItemByKind[Kind] | null
}

export type ChangeTools = { store: FleetStore; view: FleetView; clock: Clock }

const MAX_TRIES = 4

const isOfKind = <Kind extends ItemKind>(item: StateItem, kind: Kind): item is ItemByKind[Kind] =>
  item.kind === kind

const ofKind = <Kind extends ItemKind>(item: StateItem | null | undefined, kind: Kind) =>
  item && isOfKind(item, kind) ? item : null

/** The known item under a key, where it is of the kind that the key promises. */
export function itemAt<Kind extends ItemKind>(
  items: StateItems,
  kind: Kind,
  key: StateKey,
): ItemByKind[Kind] | null {
  return ofKind(items.get(key), kind)
}

/** An item as the table is known to hold it. */
export const storedAt = <Kind extends ItemKind>(view: FleetView, kind: Kind, key: StateKey) =>
  ofKind(view.stored(key), kind)

/** The item with a new value. Time keeps the versions of one that was removed and made anew apart. */
export function nextItem<Kind extends ItemKind>(
  kind: Kind,
  key: ItemByKind[Kind]['key'],
  value: NewValue<Kind>,
  before: StateItem | null,
  now: number,
): ItemByKind[Kind] {
  return {
    ...value,
    kind,
    key,
    version: Math.max((before?.version ?? 0) + 1, now),
  } as unknown as ItemByKind[Kind]
}

/**
 * What this instance has seen itself holds for it at once: decides from what is known, and lays the outcome over it,
 * until `changeItem` has written it or found something newer.
 */
export function foreseeItem<Kind extends ItemKind>(
  { view, clock }: ChangeTools,
  kind: Kind,
  key: ItemByKind[Kind]['key'],
  decide: (item: ItemByKind[Kind] | null) => Decision<Kind>,
): void {
  const before = itemAt(view.known(), kind, key)
  const decision = decide(before)
  if (decision === 'keep' || (decision === null && !before)) return
  view.foresee(key, decision && nextItem(kind, key, decision, before, clock.now()))
}

/**
 * Changes one item on condition that it is still what was read: decides from the stored picture, and where someone
 * was faster, reads again and decides again, a bounded number of times. Returns what changed; null = nothing.
 * Rejects with `StoreError`.
 */
export async function changeItem<Kind extends ItemKind>(
  { store, view, clock }: ChangeTools,
  kind: Kind,
  key: ItemByKind[Kind]['key'],
  decide: (item: ItemByKind[Kind] | null) => Decision<Kind>,
): Promise<Change<Kind> | null> {
  let before = storedAt(view, kind, key)
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const decision = decide(before)
    if (decision === 'keep' || (decision === null && !before)) {
      view.settle(key)
      return null
    }
    const after = decision && nextItem(kind, key, decision, before, clock.now())
    const result = after
      ? await store.putStateItem(after, before?.version ?? null)
      : await store.deleteStateItem(key, before?.version ?? 0)
    if (result === 'written') {
      view.learned(key, after, after?.version ?? (before?.version ?? 0) + 1)
      return { before, after }
    }
    const found = await store.readStateItem(key)
    view.learned(key, found, found?.version ?? before?.version ?? 0)
    before = ofKind(found, kind)
  }
  return null
}
