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

/** Watches one attempt: by the clock, by the client's connection, and by the gateway's own end. */
export function createWatchdog(client: AbortSignal, clock: Clock, shutdown?: AbortSignal): Watchdog {
  const controller = new AbortController()
  let cancel: () => void = () => undefined
  const abort = (code: UpstreamErrorCode): void => {
    cancel()
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
    arm: (ms, code) => {
      cancel()
      if (!controller.signal.aborted) cancel = clock.after(ms, () => abort(code))
    },
    disarm: () => cancel(),
    release: () => {
      cancel()
      client.removeEventListener('abort', leave)
      shutdown?.removeEventListener('abort', stop)
    },
  }
}
