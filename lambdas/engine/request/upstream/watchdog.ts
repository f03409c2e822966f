import type { Clock } from '../../../platform/clock.ts'
import { UpstreamError, type UpstreamErrorCode } from './upstream-error.ts'

/** One alarm at a time for one attempt; aborting its signal ends whatever the attempt is doing. */
export type Watchdog = {
  signal: AbortSignal
  /** Replaces the alarm that is set. */
  arm(ms: number, code: UpstreamErrorCode): void
  disarm(): void
  /** Forgets the alarm and the client; must be called when the attempt is over. */
  release(): void
}

/**
 * Watches one attempt: by the clock, by the client's connection, and by the gateway's own end. It is armed anew for each
 * read, so that an alarm is only an instant that is looked at when a timer ends: the timer of an earlier alarm is kept.
 */
export function createWatchdog(client: AbortSignal, clock: Clock, shutdown?: AbortSignal): Watchdog {
  const controller = new AbortController()
  let alarm: { code: UpstreamErrorCode; ms: number; at: number } | null = null
  let timer: { at: number; cancel(): void } | null = null

  function wait(ms: number): void {
    timer?.cancel()
    timer = { at: clock.now() + ms, cancel: clock.after(ms, ring) }
  }

  function ring(): void {
    timer = null
    if (alarm === null) return
    const leftMs = alarm.at - clock.now()
    if (leftMs <= 0) abort(alarm.code)
    // A clock that was set back must not make it longer.
    else wait(Math.min(leftMs, alarm.ms))
  }

  function abort(code: UpstreamErrorCode): void {
    timer?.cancel()
    controller.abort(new UpstreamError(code))
  }

  const leave = (): void => abort('ABORT_ERR')
  if (client.aborted) leave()
  client.addEventListener('abort', leave, { once: true })
  const stop = (): void => abort('BACKSTOP_SHUTDOWN')
  if (shutdown?.aborted) stop()
  shutdown?.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    arm(ms, code) {
      if (controller.signal.aborted) return
      alarm = { code, ms, at: clock.now() + ms }
      if (timer === null || timer.at > alarm.at) wait(ms)
    },
    disarm() {
      alarm = null
    },
    release() {
      alarm = null
      timer?.cancel()
      timer = null
      client.removeEventListener('abort', leave)
      shutdown?.removeEventListener('abort', stop)
    },
  }
}
