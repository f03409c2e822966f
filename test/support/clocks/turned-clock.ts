import { systemClock, type Clock } from '../../../lambdas/platform/clock.ts'

export type TurnedClock = Clock & {
  /** Turns it on at once. */
  pass(ms: number): void
  /** Lets it stand still until the disposal of what is returned. */
  stop(): Disposable
}

const MINUTE = 60_000

/**
 * The machine's clock, which the test turns on and stops: for what speaks to a real table, or to other processes, which
 * cannot be put into virtual time. What is scheduled a minute ahead never comes by itself, however slow the machine is.
 */
export function createTurnedClock(): TurnedClock {
  let turnedMs = 0
  let stoppedAt: number | null = null
  const now = (): number => (stoppedAt ?? systemClock.now()) + turnedMs
  return {
    ...systemClock,
    now,
    after: (ms, callback) => (ms < MINUTE ? systemClock.after(ms, callback) : () => {}),
    timer: (ms, callback) =>
      ms < MINUTE ? systemClock.timer(ms, callback) : { again: () => {}, cancel: () => {} },
    pass: ms => void (turnedMs += ms),
    stop() {
      stoppedAt ??= systemClock.now()
      return { [Symbol.dispose]: () => void (stoppedAt = null) }
    },
  }
}
