import type { Clock, Timer } from '../../../platform/clock.ts'
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
 * Watches one attempt: by the clock, by the client's connection, and by the gateway's own end. It is armed for each read,
 * nearly always for as long as before: then its timer is begun anew. A timer that rings disarmed is forgotten.
 */
export function createWatchdog(
  client: AbortSignal,
  clock: Pick<Clock, 'timer'>,
  shutdown?: AbortSignal,
): Watchdog {
  const controller = new AbortController()
  let armed: UpstreamErrorCode | null = null
  let timer: (Timer & { ms: number }) | null = null

  function abort(code: UpstreamErrorCode): void {
    timer?.cancel()
    controller.abort(new UpstreamError(code))
  }

  function ring(): void {
    if (armed !== null) abort(armed)
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
      armed = code
      if (timer?.ms === ms) return timer.again()
      timer?.cancel()
      timer = { ...clock.timer(ms, ring), ms }
    },
    disarm() {
      armed = null
    },
    release() {
      armed = null
      timer?.cancel()
      timer = null
      client.removeEventListener('abort', leave)
      shutdown?.removeEventListener('abort', stop)
    },
  }
}
