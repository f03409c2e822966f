import { expect, test } from 'vitest'
import { createWatchdog } from '../../../../lambdas/engine/request/upstream/watchdog.ts'
import { UpstreamError } from '../../../../lambdas/engine/request/upstream/upstream-error.ts'
import { systemClock, type Clock } from '../../../../lambdas/platform/clock.ts'
import { createVirtualClock } from '../../../support/clocks/virtual-clock.ts'

const START = 1_790_000_000_000

function world() {
  const client = new AbortController()
  const shutdown = new AbortController()
  const clock = createVirtualClock(START)
  /** Timers that were made, and those of them that neither rang nor were cancelled. */
  let made = 0
  const running = new Set<symbol>()
  const timer: Clock['timer'] = (ms, callback) => {
    made += 1
    const id = Symbol(`timer ${made}`)
    running.add(id)
    const inner = clock.timer(ms, () => {
      running.delete(id)
      callback()
    })
    return {
      again() {
        running.add(id)
        inner.again()
      },
      cancel() {
        running.delete(id)
        inner.cancel()
      },
    }
  }
  const watchdog = createWatchdog(client.signal, { timer }, shutdown.signal)
  const ended = (): unknown => {
    const { aborted, reason } = watchdog.signal
    return aborted && reason instanceof UpstreamError ? reason.code : null
  }
  return { watchdog, clock, client, shutdown, ended, made: () => made, pending: () => running.size }
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

test('a thousand reads need one timer', () => {
  const { watchdog, clock, ended, made, pending } = world()
  for (let read = 0; read < 1_000; read += 1) {
    watchdog.arm(10_000, 'BACKSTOP_IDLE_TIMEOUT')
    clock.pass(9_999)
    watchdog.disarm()
    expect(pending()).toBe(1)
  }
  expect([ended(), made()]).toEqual([null, 1])
  // Long after it has rung disarmed, it is begun anew.
  clock.pass(60_000)
  expect(pending()).toBe(0)
  watchdog.arm(10_000, 'BACKSTOP_IDLE_TIMEOUT')
  clock.pass(9_999)
  expect(ended()).toBeNull()
  clock.pass(1)
  expect([ended(), made()]).toEqual(['BACKSTOP_IDLE_TIMEOUT', 1])
})

test('the machine’s timer can be begun anew before and after it has rung', async () => {
  let rung = 0
  let tell: () => void = () => undefined
  const next = (): Promise<void> => new Promise(resolve => (tell = resolve))
  const timer = systemClock.timer(5, () => {
    rung += 1
    tell()
  })
  timer.again()
  await next()
  timer.again()
  await next()
  expect(rung).toBe(2)
  timer.again()
  timer.cancel()
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(rung).toBe(2)
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
