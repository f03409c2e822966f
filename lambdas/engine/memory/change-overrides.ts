import type { SettingsItem } from '../../store/state-item.ts'
import { changeItem, itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

type Overrides = SettingsItem['overrides']

/** The operator's overrides as they are known, good and bad ones. */
export function overridesOf({ view }: MemoryTools): Overrides {
  return itemAt(view.known(), 'settings', 'settings')?.overrides ?? {}
}

/**
 * Sets and removes (null) operator overrides, all in one write; those that are not named stay. Values are taken as
 * they are: whoever calls has checked them. Rejects with `StoreError`.
 */
export async function changeOverrides(
  tools: MemoryTools,
  changes: ReadonlyMap<string, Overrides[string] | null>,
): Promise<Overrides> {
  await changeItem(tools, 'settings', 'settings', item => {
    const before = item?.overrides ?? {}
    const after = applied(before, changes)
    if (JSON.stringify(after) === JSON.stringify(before)) return 'keep'
    const mark = item?.secretChangedAt
    // Without the mark an instance would keep keys that were withdrawn until it looks by itself.
    if (mark !== undefined) return { overrides: after, secretChangedAt: mark, expiresAt: null }
    return Object.keys(after).length === 0 ? null : { overrides: after, expiresAt: null }
  })
  return overridesOf(tools)
}

function applied(before: Overrides, changes: ReadonlyMap<string, Overrides[string] | null>): Overrides {
  const after = new Map(Object.entries(before))
  for (const [name, value] of changes) {
    if (value === null) after.delete(name)
    else after.set(name, value)
  }
  return Object.fromEntries(after)
}
