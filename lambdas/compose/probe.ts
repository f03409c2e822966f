import { itemAt } from '../engine/memory/change-item.ts'
import type { ProbeResult } from '../engine/probes/probe-endpoint.ts'
import { isAllWell, runProbes } from '../engine/probes/run-probes.ts'
import { closeAgents, createAgents } from '../engine/request/upstream/call-upstream.ts'
import { secretsInUse } from '../keys/secrets-in-use.ts'
import { systemClock } from '../platform/clock.ts'
import { createRequestSigner } from '../providers/sign-request.ts'
import { composeFleet } from './fleet.ts'
import type { GatewayOptions } from './gateway.ts'

/** What a probe run may be told; the schedule tells nothing. */
export type ProbeEvent = { force?: boolean; endpoint?: string }

export type ProbeReport = { probes: readonly ProbeResult[] }

export type ComposedProbe = {
  handler(event: ProbeEvent, context: { getRemainingTimeInMillis(): number }): Promise<ProbeReport>
  /** Lets go of idle connections to upstreams. */
  close(): void
}

/** Wires a probe run together: one pass an invocation, with a fresh look at the table each time. */
export function composeProbe({ clock = systemClock, ...options }: GatewayOptions): ComposedProbe {
  const { environment, keys } = options
  const { memory } = composeFleet({ ...options, clock }, () => keys.ring().fingerprints)
  const agents = createAgents(clock, environment.proxyFor)
  const tools = {
    ...memory,
    attempts: {
      agents,
      clock,
      sign: createRequestSigner(environment.aws),
      secrets: secretsInUse(keys, environment.aws),
    },
    secretOf: (provider: string, key: string) => keys.ring().secretOf(provider, key),
  }
  return {
    async handler(event, context) {
      const endsAt = clock.now() + context.getRemainingTimeInMillis()
      const { force = false, endpoint = null } = event
      // Most passes end here: they cost one query, and no look at the secret.
      if (!force && endpoint === null && (await isAllWell(memory))) return { probes: [] }
      // Without keys every provider would look as if it refused us.
      if (!(await keys.ready())) throw new Error('No probes: the keys cannot be read.')
      const probes = await runProbes(tools, { force, only: endpoint, endsAt })
      if (probes.some(({ outcome }) => outcome === 'auth')) keys.refused()
      keys.changed(itemAt(memory.view.known(), 'settings', 'settings')?.secretChangedAt ?? null)
      await keys.settled()
      return { probes }
    },
    close() {
      closeAgents(agents)
    },
  }
}
