import { expect, test } from 'vitest'
import { createWatchdog } from '../../../../lambdas/engine/request/upstream/watchdog.ts'
import { UpstreamError } from '../../../../lambdas/engine/request/upstream/upstream-error.ts'
import { createVirtualClock } from '../../../support/clocks/virtual-clock.ts'

const START = 1_790_000_000_000

function world() {
  const client = new AbortController()
  const shutdown = new AbortController()
  const clock = createVirtualClock(START)
  let pending = 0
  const counting = {
    ...clock,
    after(ms: number, callback: () => void) {
      pending += 1
      let isOver = false
      const over = (): void => {
        if (!isOver) pending -= 1
        isOver = true
      }
      const cancel = clock.after(ms, () => {
        over()
        callback()
      })
      return () => {
        over()
        cancel()
      }
    },
  }
  const watchdog = createWatchdog(client.signal, counting, shutdown.signal)
  const ended = (): unknown => {
    const { aborted, reason } = watchdog.signal
    return aborted && reason instanceof UpstreamError ? reason.code : null
  }
  return { watchdog, clock, counting, client, shutdown, ended, pending: () => pending }
}

test('rings when its time is over, and not before', () => {
  const { watchdog, clock, ended, pending } = world()
  watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  clock.pass(999)
  expect(ended()).toBeNull()
  clock.pass(1)
  expect(ended()).toBe('BACKSTOP_IDLE_TIMEOUT')
  expect(pending()).toBe(0)
})

test('an alarm takes the place of the one before it, be it later or sooner', () => {
  const later = world()
  later.watchdog.arm(1_000, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
  later.clock.pass(900)
  later.watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  later.clock.pass(999)
  expect(later.ended()).toBeNull()
  later.clock.pass(1)
  expect(later.ended()).toBe('BACKSTOP_IDLE_TIMEOUT')

  const sooner = world()
  sooner.watchdog.arm(60_000, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
  sooner.watchdog.arm(100, 'BACKSTOP_TOTAL_TIMEOUT')
  sooner.clock.pass(100)
  expect(sooner.ended()).toBe('BACKSTOP_TOTAL_TIMEOUT')
})

test('disarmed, it never rings, and can be armed again', () => {
  const { watchdog, clock, ended, pending } = world()
  watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  watchdog.disarm()
  clock.pass(5_000)
  expect([ended(), pending()]).toEqual([null, 0])
  watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  clock.pass(1_000)
  expect(ended()).toBe('BACKSTOP_IDLE_TIMEOUT')
})

test('a thousand reads need one timer at a time, and few of them in all', () => {
  const { watchdog, clock, counting, ended, pending } = world()
  let timers = 0
  const { after } = counting
  counting.after = (ms, callback) => {
    timers += 1
    return after(ms, callback)
  }
  for (let read = 0; read < 1_000; read += 1) {
    watchdog.arm(10_000, 'BACKSTOP_IDLE_TIMEOUT')
    clock.pass(100)
    watchdog.disarm()
    expect(pending()).toBeLessThanOrEqual(1)
  }
  expect(ended()).toBeNull()
  expect(timers).toBeLessThan(25)
})

test('a clock that is set back makes it ring once its time is over, and not hours later', () => {
  const { watchdog, clock, counting, ended } = world()
  let back = 0
  const { now } = clock
  counting.now = () => now() - back
  watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  back = 3_600_000
  clock.pass(1_000)
  expect(ended()).toBeNull()
  back = 0
  clock.pass(1_000)
  expect(ended()).toBe('BACKSTOP_IDLE_TIMEOUT')
})

test('a client that leaves and a gateway that stops ring at once; released, nothing does', () => {
  const left = world()
  left.watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  left.client.abort()
  expect([left.ended(), left.pending()]).toEqual(['ABORT_ERR', 0])
  left.watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  expect(left.pending()).toBe(0)

  const stopped = world()
  stopped.shutdown.abort()
  expect(stopped.ended()).toBe('BACKSTOP_SHUTDOWN')

  const released = world()
  released.watchdog.arm(1_000, 'BACKSTOP_IDLE_TIMEOUT')
  released.watchdog.release()
  released.client.abort()
  released.shutdown.abort()
  released.clock.pass(5_000)
  expect([released.ended(), released.pending()]).toEqual([null, 0])
})
