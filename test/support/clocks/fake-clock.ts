import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../lambdas/platform/clock.ts'

export const START = 1_790_000_000_000

/** Time that passes only when it is told to, or when somebody sleeps. Its chance is always in the middle. */
export type FakeClock = Clock & {
  pass(ms: number): void
  /** The same time as a machine sees it whose clock is off. */
  skewedBy(ms: number): Clock
}

export function createFakeClock(start = START): FakeClock {
  let now = start
  const view = (skew: number): Clock => ({
    now: () => now + skew,
    random: () => 0.5,
    async sleep(ms, signal) {
      // Whatever only needs turns of the loop, and no time, is done by then.
      for (let turns = 0; turns < 3 && !signal.aborted; turns += 1) await turn()
      if (!signal.aborted) now += ms
    },
    after: () => () => {},
    timer: () => ({ again: () => {}, cancel: () => {} }),
  })
  return { ...view(0), pass: ms => void (now += ms), skewedBy: view }
}
