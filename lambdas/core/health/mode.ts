/** Whether the fleet is degraded, and since when the opposite has held. Instants in epoch milliseconds. */
export type Mode =
  | { state: 'normal'; fewSince: number | null }
  | { state: 'degraded'; since: number; enoughSince: number | null }

export const NORMAL: Mode = { state: 'normal', fewSince: null }

const ENTER_AFTER_MS = 60_000
const LEAVE_AFTER_MS = 120_000
const FEWEST_PROVIDERS = 3

/**
 * The mode after one look at the providers. Pure.
 *
 * | usable providers           | normal                | degraded             |
 * |----------------------------|-----------------------|----------------------|
 * | fewer than half, of 3 up   | degraded after 60 s   | degraded             |
 * | half or more, or under 3   | normal                | normal after 120 s   |
 */
export function modeAfter(mode: Mode, look: { usable: number; all: number; at: number }): Mode {
  const few = look.all >= FEWEST_PROVIDERS && look.usable < look.all / 2
  if (mode.state === 'normal') {
    if (!few) return NORMAL
    const fewSince = mode.fewSince ?? look.at
    return look.at - fewSince >= ENTER_AFTER_MS
      ? { state: 'degraded', since: look.at, enoughSince: null }
      : { state: 'normal', fewSince }
  }
  if (few) return { ...mode, enoughSince: null }
  const enoughSince = mode.enoughSince ?? look.at
  return look.at - enoughSince >= LEAVE_AFTER_MS ? NORMAL : { ...mode, enoughSince }
}
