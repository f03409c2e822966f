import type { Refusal } from './refusals/refusals.ts'
import type { FailureKind } from './failures/kinds.ts'
import type { Breaker, BreakerEvent } from './health/breaker.ts'
import type { Health, HealthEvent } from './health/health.ts'
import type { Mode } from './health/mode.ts'
import type { RequestCompleted } from './request-completed.ts'

/**
 * Every structured line that the gateway, the probe run and the widget write; metrics and commands read it. Instants
 * in epoch milliseconds. No line holds a prompt, an answer or a key.
 */
export type LogEvent =
  | RequestCompleted
  /** Refused before it had a plan; `count` where one line stands for several. */
  | {
      event: 'request-rejected'
      requestId: string
      /** Absent where it was not known, or not asked for. */
      caller?: string
      code: string
      param: string | null
      count?: number
    }
  /** `begun`: the answer had begun, so that the request's own line tells of its end as well. */
  | { event: 'internal-error'; requestId: string; error: string; begun?: true }
  | {
      event: 'health-transition'
      endpoint: string
      provider: string
      from: Health['state']
      to: Health['state']
      because: HealthEvent['kind']
    }
  | {
      event: 'breaker-transition'
      provider: string
      from: Breaker['state']
      to: Breaker['state']
      because: BreakerEvent['kind']
    }
  | { event: 'cooldown'; scope: string; kind: FailureKind; until: number }
  | ({ event: 'capability-learned'; endpoint: string; provider: string } & Refusal)
  | {
      event: 'probe'
      endpoint: string
      id: string
      provider: string
      outcome: 'ok' | FailureKind
      message: string | null
      tokens: number
      durationMs: number
    }
  /** Once a probe run for as long as it lasts, because an alarm forgets what was once: how many of its keys. */
  | { event: 'key-refused'; provider: string; keys: number }
  /** Evidence that our own network may be at fault for. */
  | { event: 'network-suspect'; evidence: number }
  | {
      event: 'mode-transition'
      from: Mode['state']
      to: Mode['state']
      usable: number
      providers: number
    }
  /** Once a probe run for as long as it lasts, because an alarm forgets a transition. */
  | { event: 'degraded'; usable: number; providers: number }
  /** The table could not be used, and what it held could not be understood. */
  | { event: 'state-error'; error: string }
  | { event: 'state-garbage'; count: number }
  /** Once an instance: what the configuration or the environment says and the gateway does not do. */
  | { event: 'config-warning'; warning: string }
  | { event: 'override-ignored'; name: string }
  | { event: 'secret-malformed'; problems: readonly string[] }
  | { event: 'secret-unreadable'; error: string }
  /** The collector of traces: once when it fails, and once when it works again, with the spans that were given up. */
  | { event: 'spans-not-sent'; error: string }
  | { event: 'spans-sent-again'; dropped: number }

/** Takes structured lines. */
export type Log = (event: LogEvent) => void
