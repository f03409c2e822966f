import { breakerKey, endpointKey } from '../../core/item-keys.ts'
import { trialAt } from '../../core/health/breaker.ts'
import { bucketsOf, evidenceWindow } from '../../core/health/counter-names.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import { sumWindow } from '../../core/health/window.ts'
import { createBreakerTrials, type BreakerTrials } from '../memory/breaker-trials.ts'
import { changeHealth } from '../memory/change-health.ts'
import { changeItem, itemAt } from '../memory/change-item.ts'
import { judgeMode } from '../memory/judge-mode.ts'
import { PROBE_LEASE_MS, probeEndpoint, type ProbeResult, type ProbeTools } from './probe-endpoint.ts'
import { snapshotOf } from '../memory/snapshot-of.ts'

export type ProbePass = {
  /** Ignores due times. */
  force: boolean
  /** Probes this endpoint alone, by name or id and whatever its state; null = all that are ill. */
  only: string | null
  /** When the pass must be over; epoch milliseconds. */
  endsAt: number
}

const MAX_PROBES = 20
const LOOK_MS = 1_500
const SPACING_MS = 1_000
/** No probe is begun that could not be finished. */
const LONGEST_PROBE_MS = 30_000

/** Claims an endpoint's probe for this run: of two runs that overlap only one may send it. */
async function claim(tools: ProbeTools, { id }: Endpoint, force: boolean): Promise<boolean> {
  // What is healthy has no item to lease: an operator asks for it, and a probe too many does no harm.
  const seen = itemAt(tools.view.known(), 'endpoint', endpointKey(id))
  if (!seen) return true
  const { dueAt } = seen.health.probe
  const change = await changeItem(tools, 'endpoint', endpointKey(id), item => {
    const now = tools.clock.now()
    // Another due time than the one that was seen: a run that overlapped with this one has probed it meanwhile.
    if (!item || item.leaseUntil > now || item.health.probe.dueAt !== dueAt) return 'keep'
    if (!force && dueAt > now) return 'keep'
    return { health: item.health, expiresAt: item.expiresAt, leaseUntil: now + PROBE_LEASE_MS }
  })
  return change !== null
}

function dueEndpoints(tools: ProbeTools, { force, only }: ProbePass): readonly Endpoint[] {
  const items = tools.view.known()
  if (only !== null) return tools.endpoints.filter(({ id, name }) => id === only || name === only)
  const due = tools.endpoints.flatMap(endpoint => {
    const dueAt = itemAt(items, 'endpoint', endpointKey(endpoint.id))?.health.probe.dueAt
    return dueAt !== undefined && (force || dueAt <= tools.clock.now()) ? [{ endpoint, dueAt }] : []
  })
  return due
    .toSorted((one, other) => one.dueAt - other.dueAt)
    .slice(0, MAX_PROBES)
    .map(({ endpoint }) => endpoint)
}

/** One endpoint, of those that might be asked now, of every provider with a trial due that no request has taken. */
function dueTrials(tools: ProbeTools): readonly Endpoint[] {
  const { view, keys, settings, clock } = tools
  const items = view.known()
  const snapshot = snapshotOf(items, keys(), settings())
  const byProvider = new Map<string, Endpoint>()
  for (const endpoint of tools.endpoints) {
    const breaker = itemAt(items, 'breaker', breakerKey(endpoint.provider))?.breaker
    const due = breaker ? trialAt(breaker, settings()) : null
    if (due === null || due > clock.now() || byProvider.has(endpoint.provider)) continue
    const isIll = snapshot.health.has(endpoint.id)
    if (!isIll && lookAgain(endpoint, snapshot, clock.now()).barred === null) {
      byProvider.set(endpoint.provider, endpoint)
    }
  }
  return [...byProvider.values()]
}

async function runTrial(
  tools: ProbeTools,
  trials: BreakerTrials,
  endpoint: Endpoint,
): Promise<ProbeResult | null> {
  const { provider } = endpoint
  if (!(await trials.claim(provider))) return null
  const startedAt = tools.clock.now()
  const result = await probeEndpoint(tools, endpoint, true)
  const verdict = result?.outcome === 'ok' ? 'succeeded' : result?.countsForBreaker ? 'failed' : 'undecided'
  await trials.report(provider, startedAt, verdict)
  return result
}

/** Only where nothing probes: a suspect returns when its window has emptied. */
async function releaseByTime(tools: ProbeTools): Promise<void> {
  const shape = evidenceWindow(tools.settings().endpoint_window_ms)
  for (const endpoint of tools.endpoints) {
    if (!itemAt(tools.view.known(), 'endpoint', endpointKey(endpoint.id))) continue
    const counters = await tools.store.readCounts(endpointKey(endpoint.id))
    const evidence = sumWindow(bucketsOf(counters, 'evidence'), tools.clock.now(), shape)
    if (evidence === 0) await changeHealth(tools, endpoint, { kind: 'window_emptied' })
  }
}

/** Runs the work of each provider in turn, with a second between two calls; providers do not wait for each other. */
async function spaced(
  tools: ProbeTools,
  pass: ProbePass,
  work: readonly { provider: string; run(): Promise<ProbeResult | null> }[],
): Promise<readonly ProbeResult[]> {
  const { clock } = tools
  const forever = new AbortController().signal
  const providers = Map.groupBy(work, ({ provider }) => provider)
  const results = [...providers.values()].map(async queue => {
    const done: ProbeResult[] = []
    for (const [index, { run }] of queue.entries()) {
      if (index > 0) await clock.sleep(SPACING_MS, forever)
      if (clock.now() + LONGEST_PROBE_MS > pass.endsAt) break
      const result = await run().catch(tools.stateError)
      if (result) done.push(result)
    }
    return done
  })
  return (await Promise.all(results)).flat()
}

function report({ log }: ProbeTools, results: readonly ProbeResult[]): void {
  for (const { endpoint, id, provider, outcome, message, tokens, durationMs } of results) {
    log({ event: 'probe', endpoint, id, provider, outcome, message, tokens, durationMs })
    if (outcome === 'auth') log({ event: 'key-refused', provider, by: 'probe' })
  }
}

/**
 * One pass: probes what is suspect or quarantined and due, runs breaker trials that no request has taken, and judges
 * whether the fleet is degraded. Safe to overlap with another pass and to be killed: leases expire. Never rejects.
 */
export async function runProbes(tools: ProbeTools, pass: ProbePass): Promise<readonly ProbeResult[]> {
  const { view, settings, stateError } = tools
  await view.current(LOOK_MS)
  const { endpoint_health_disabled, endpoint_probes_disabled } = settings()
  const probing = !endpoint_health_disabled && !endpoint_probes_disabled
  const trials = createBreakerTrials(tools)
  const due = probing || pass.only !== null ? dueEndpoints(tools, pass) : []
  const insistent = pass.force || pass.only !== null
  const probes = due.map(endpoint => ({
    provider: endpoint.provider,
    run: async () =>
      (await claim(tools, endpoint, insistent)) ? probeEndpoint(tools, endpoint, insistent) : null,
  }))
  const tried = (pass.only === null ? dueTrials(tools) : []).map(endpoint => ({
    provider: endpoint.provider,
    run: () => runTrial(tools, trials, endpoint),
  }))
  const results = await spaced(tools, pass, [...tried, ...probes])
  report(tools, results)
  if (endpoint_probes_disabled) await releaseByTime(tools).catch(stateError)
  // The probes took their time.
  await view.current(LOOK_MS)
  await judgeMode(tools).catch(stateError)
  return results
}
