import type { Log } from '../core/log-event.ts'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { GatewayError } from './gateway-error.ts'
import { requestIdOf } from './request-id.ts'

const SAMPLE_MS = 60_000

/**
 * One line for each request that is refused before it has a plan. Callers without a client key share one line a
 * minute, with their number: whoever knows the URL could fill the log otherwise.
 */
export function createRefusalLog({ log, now }: { log: Log; now(): number }) {
  let [strangers, toldAt] = [0, -SAMPLE_MS]
  return ({ code, param }: GatewayError, event: LambdaFunctionURLEvent): void => {
    const line = { event: 'request-rejected' as const, requestId: requestIdOf(event), code, param }
    if (code !== 'invalid_api_key') return log(line)
    strangers += 1
    if (now() - toldAt < SAMPLE_MS) return
    log({ ...line, count: strangers })
    strangers = 0
    toldAt = now()
  }
}
