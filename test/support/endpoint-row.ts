import type { EndpointRow } from '../../lambdas/engine/memory/describe-fleet.ts'

/** A healthy endpoint that nothing is remembered of, changed where a test says so. */
export function endpointRow(changes: Partial<EndpointRow> = {}): EndpointRow {
  return {
    endpoint: 'groq/llama',
    id: 'groq/llama',
    provider: 'groq',
    missing_key: false,
    usable: true,
    health: 'healthy',
    since: null,
    next_probe_at: null,
    last_failure: null,
    retired: false,
    suggestion: null,
    breaker: 'closed',
    trial_at: null,
    cooldowns: [],
    refuses: [],
    quotas: [],
    successes: 0,
    failures: 0,
    ...changes,
  }
}
