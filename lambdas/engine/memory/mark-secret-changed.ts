import { changeItem } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

/** Tells every running instance that the secret was changed just now, and is worth reading. Rejects with `StoreError`. */
export async function markSecretChanged(tools: MemoryTools): Promise<void> {
  const secretChangedAt = tools.clock.now()
  await changeItem(tools, 'settings', 'settings', item => ({
    overrides: item?.overrides ?? {},
    secretChangedAt,
    expiresAt: null,
  }))
}
