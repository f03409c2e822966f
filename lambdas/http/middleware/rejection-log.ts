import type { Caller } from '../../core/caller.ts'
import type { Log } from '../../core/log-event.ts'
import { NOBODY } from './exchange.ts'
import type { GatewayError } from '../../core/routing/gateway-error.ts'

export type RejectionLogOptions = { log: Log; now(): number }

const SAMPLE_MS = 60_000

/**
 * One line for each request that is refused before it has a plan. Callers without a client key share one line a
 * minute, with their number: whoever knows the URL could fill the log otherwise.
 */
export function createRejectionLog({ log, now }: RejectionLogOptions) {
  let [unknownCallers, loggedAt] = [0, -SAMPLE_MS]
  return ({ code, param }: GatewayError, requestId: string, caller: Caller): void => {
    const known = caller === NOBODY ? {} : { caller: caller.name }
    const line = { event: 'request-rejected' as const, requestId, ...known, code, param }
    if (code !== 'invalid_api_key') return log(line)
    unknownCallers += 1
    if (now() - loggedAt < SAMPLE_MS) return
    log({ ...line, count: unknownCallers })
    unknownCallers = 0
    loggedAt = now()
  }
}
