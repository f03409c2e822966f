import type { Endpoint } from '../../core/endpoint.ts'
import { KINDS } from '../../core/failures/kinds.ts'
import type { TrialClaim } from '../../core/health/breaker-scope.ts'
import { bucketsOf, evidenceWindow } from '../../core/health/counter-names.ts'
import { byHandOf, countOf } from '../../core/health/health.ts'
import { sumWindow } from '../../core/health/window.ts'
import { isProbed } from '../../core/health/is-probed.ts'
import { NORMAL } from '../../core/health/mode.ts'
import { endpointKey, isBreakerKey } from '../../core/item-keys.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { createBreakerTrials, type BreakerTrials } from '../memory/breaker-trials.ts'
import { changeHealth } from '../memory/change-health.ts'
import { changeItem, itemAt } from '../memory/change-item.ts'
import { judgeMode } from '../memory/judge-mode.ts'
import { createFailureNotes } from '../memory/note-failure.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import { createSuccessNotes } from '../memory/note-success.ts'
import { knownSnapshot } from '../memory/snapshot-of.ts'
import {
  PROBE_LEASE_MS,
  probeEndpoint,
  reportProbe,
  type ProbeResult,
  type ProbeTools,
} from './probe-endpoint.ts'
import { reportRefusedKeys } from './refused-keys.ts'
import { suggestModel } from './suggest-model.ts'

export type ProbePass = {
  /** Ignores due times. */
  force: boolean
  /** Probes this endpoint alone, by name or id and whatever its state; null = all that are not healthy. */
  only: string | null
  /** When the pass must be over; epoch milliseconds. */
  endsAt: number
}

const MAX_PROBES = 20
/** A pass that did not see the table would probe nothing. */
const LOOK_MS = 5_000
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
    const probe = { ...item.health.probe, sent: countOf(item.health.probe.sent, now) }
    return { health: { ...item.health, probe }, expiresAt: item.expiresAt, leaseUntil: now + PROBE_LEASE_MS }
  })
  return change !== null
}

function dueEndpoints(tools: ProbeTools, { force, only }: ProbePass): readonly Endpoint[] {
  const items = tools.view.known()
  if (only !== null) return tools.endpoints.filter(({ id, name }) => id === only || name === only)
  const due = tools.endpoints.flatMap(endpoint => {
    if (endpoint.probe === false) return []
    const health = itemAt(items, 'endpoint', endpointKey(endpoint.id))?.health
    // What was quarantined by hand is probed where somebody names it, and never else.
    if (!health || byHandOf(health) !== undefined) return []
    const { dueAt } = health.probe
    return force || dueAt <= tools.clock.now() ? [{ endpoint, dueAt }] : []
  })
  return due
    .toSorted((one, other) => one.dueAt - other.dueAt)
    .slice(0, MAX_PROBES)
    .map(({ endpoint }) => endpoint)
}

/** Limits of rate and quota are left to requests: a probe would be one more of what there are too many of. */
function isForProbes({ scope }: TrialClaim, snapshot: Snapshot): boolean {
  const breaker = snapshot.breakers.get(scope)?.breaker
  const ownLimit = breaker?.guess ? KINDS[breaker.guess.kind].ownLimit : null
  return !scope.startsWith('limit#') || ownLimit !== 'quota'
}

/** Endpoints behind breakers that are half-open and that no request has tried. */
function dueTrials(tools: ProbeTools): readonly { endpoint: Endpoint; claims: readonly TrialClaim[] }[] {
  const snapshot = knownSnapshot(tools)
  const now = tools.clock.now()
  const taken = new Set<string>()
  return tools.endpoints.flatMap(endpoint => {
    // What is suspect or quarantined has a probe of its own.
    if (endpoint.probe === false || snapshot.health.has(endpoint.id)) return []
    const availability = lookAgain(endpoint, snapshot, now)
    if (availability.state === 'barred' || availability.trial.length === 0) return []
    const { trial: claims } = availability
    const isTaken = claims.some(({ scope }) => taken.has(scope))
    if (isTaken || !claims.every(claim => isForProbes(claim, snapshot))) return []
    for (const { scope } of claims) taken.add(scope)
    return [{ endpoint, claims }]
  })
}

/** The one call of half-open breakers, as a probe. */
async function runTrial(
  tools: ProbeTools,
  trials: BreakerTrials,
  { endpoint, claims }: { endpoint: Endpoint; claims: readonly TrialClaim[] },
): Promise<ProbeResult | null> {
  const trial = await trials.claim(claims, PROBE_LEASE_MS)
  if (!trial) return null
  const sent = await probeEndpoint(tools, endpoint, { insistent: true })
  if (!sent) return null
  const reports: Promise<unknown>[] = []
  const start = (work: () => Promise<unknown>): void => void reports.push(work())
  const { key, startedAt, failure } = sent
  const noted = { endpoint, key, requestId: 'probe', startedAt, trial }
  if (failure) createFailureNotes(tools, start).reportTrial(noted, failure)
  else createSuccessNotes(tools, start).committed(noted)
  await Promise.all(reports)
  return sent.result
}

/** Only where nothing probes: an endpoint returns when its window has emptied. */
async function releaseByTime(tools: ProbeTools): Promise<void> {
  const settings = tools.settings()
  const { endpoint_window_ms } = settings
  const shape = evidenceWindow(endpoint_window_ms)
  for (const endpoint of tools.endpoints) {
    if (isProbed(endpoint, settings)) continue
    if (!itemAt(tools.view.known(), 'endpoint', endpointKey(endpoint.id))) continue
    const [counters = {}] = await tools.store.readCounts([endpointKey(endpoint.id)])
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

/** Whether a pass would find nothing to look after: everything is healthy, and nothing is barred. */
export async function isAllWell({ view, clock }: MemoryTools): Promise<boolean> {
  const startedAt = clock.now()
  const items = await view.current(LOOK_MS)
  // A table that cannot be read proves nothing.
  if (view.readAt === null || view.readAt < startedAt) return false
  const mode = itemAt(items, 'mode', 'mode')?.mode ?? NORMAL
  const isUsual = mode.state === 'normal' && mode.fewSince === null
  return isUsual && ![...items.keys()].some(key => key.startsWith('endpoint#') || isBreakerKey(key))
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
    run: async () => {
      if (!(await claim(tools, endpoint, insistent))) return null
      const sent = await probeEndpoint(tools, endpoint, { insistent, ordered: pass.only !== null })
      if (sent?.failure) await suggestModel(tools, endpoint, { failure: sent.failure, key: sent.key })
      return sent?.result ?? null
    },
  }))
  const tried = (pass.only === null ? dueTrials(tools).slice(0, MAX_PROBES) : []).map(due => ({
    provider: due.endpoint.provider,
    run: () => runTrial(tools, trials, due),
  }))
  const results = await spaced(tools, pass, [...tried, ...probes])
  for (const result of results) reportProbe(tools, result)
  await releaseByTime(tools).catch(stateError)
  // The probes took their time.
  await view.current(LOOK_MS)
  await judgeMode(tools).catch(stateError)
  if (pass.only === null) reportRefusedKeys(tools, results)
  return results
}
