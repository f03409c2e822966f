import { systemClock } from '../../../lambdas/platform/clock.ts'

/** Opens something once, and anew when it is older than `ageMs` or could not be opened; `close` gets the old one. */
export function renewed<Thing>(
  ageMs: number,
  open: () => Promise<Thing>,
  close?: (old: Thing) => void,
): () => Promise<Thing> {
  let current: { at: number; thing: Promise<Thing> } | null = null
  return () => {
    const now = systemClock.now()
    if (current && now - current.at < ageMs) return current.thing
    const old = current
    const next = { at: now, thing: open() }
    current = next
    next.thing.catch(() => {
      if (current === next) current = null
    })
    if (close && old) void old.thing.then(close, () => undefined)
    return next.thing
  }
}
