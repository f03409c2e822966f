import type { EndpointTimeouts } from '../core/endpoint.ts'

type ConfiguredTimeouts = {
  connectTimeoutMs?: number | undefined
  firstOutputTimeoutMs?: number | undefined
  firstEventTimeoutMs?: number | undefined
  idleTimeoutMs?: number | undefined
  totalTimeoutMs?: number | undefined
}

/** The timeouts that a provider, alias or endpoint sets, and only those, so that they can be laid over others. */
export function timeoutsOf(configured: ConfiguredTimeouts): EndpointTimeouts {
  const named = {
    connectMs: configured.connectTimeoutMs,
    firstOutputMs: configured.firstOutputTimeoutMs ?? configured.firstEventTimeoutMs,
    idleMs: configured.idleTimeoutMs,
    totalMs: configured.totalTimeoutMs,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}
