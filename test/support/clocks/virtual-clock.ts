import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Clock } from '../../../lambdas/platform/clock.ts'

const START = 1_790_000_000_000
/** So many turns of the event loop in a row must find that nothing moves. */
const QUIET_TURNS = 60

export type VirtualClock = Clock & {
  /** Lets time pass at once; whatever falls due on the way is called at its own instant. */
  pass(ms: number): void
}

type Alarm = { at: number; sleeper: boolean; ring(): void }

/**
 * Time that stands still until the test passes some, or until somebody sleeps and nothing else moves: then it jumps to
 * the next instant that anybody waits for. How busy the machine is changes nothing: a look takes a turn of the event
 * loop, and with each turn, whatever has come over loopback moves on. Its chance is always in the middle.
 */
export function createVirtualClock(start = START): VirtualClock {
  let now = start
  let moves = 0
  let isRunning = false
  const alarms = new Set<Alarm>()

  function nextUntil(until: number): Alarm | null {
    let next: Alarm | null = null
    for (const alarm of alarms) if (alarm.at <= until && (next === null || alarm.at < next.at)) next = alarm
    return next
  }

  function passUntil(until: number): void {
    for (let next = nextUntil(until); next; next = nextUntil(until)) {
      alarms.delete(next)
      now = next.at
      next.ring()
    }
    now = until
    moves += 1
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (let quiet = 0, seen = moves; [...alarms].some(({ sleeper }) => sleeper);) {
      await turnOfTheLoop()
      quiet = seen === moves ? quiet + 1 : 0
      seen = moves
      const next = quiet < QUIET_TURNS ? null : nextUntil(Number.MAX_VALUE)
      if (next) passUntil(next.at)
    }
    isRunning = false
  }

  function set(alarm: Alarm): () => void {
    moves += 1
    alarms.add(alarm)
    if (alarm.sleeper) void run()
    return () => {
      moves += 1
      alarms.delete(alarm)
    }
  }

  const after = (ms: number, callback: () => void): (() => void) =>
    set({ at: now + ms, sleeper: false, ring: callback })

  return {
    now: () => {
      moves += 1
      return now
    },
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal.aborted) return resolve()
        const wake = (): void => {
          cancel()
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const cancel = set({ at: now + ms, sleeper: true, ring: wake })
        signal.addEventListener('abort', wake)
      }),
    after,
    timer(ms, callback) {
      let cancel = after(ms, callback)
      function again(): void {
        cancel()
        cancel = after(ms, callback)
      }
      return { again, cancel: () => cancel() }
    },
    pass: ms => passUntil(now + ms),
  }
}
