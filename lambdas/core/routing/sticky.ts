import type { Candidate, Chain, EndpointId } from '../endpoint.ts'
import { isAsListed } from './order/order-replicas.ts'
import type { Plan } from './plan.ts'
import type { Snapshot } from './snapshot.ts'

/** What served a conversation last: its cache of the prompt is the endpoint's and the account's. */
export type ServedLast = {
  endpoint: EndpointId
  /** Fingerprint of the key; null where none was sent. */
  key: string | null
}

/** Nothing speaks against it: whatever needs a trial, or comes last, is not worth a cache. */
const isWell = ({ suspect, lastResort, trial }: Candidate): boolean =>
  !suspect && !lastResort && trial.length === 0

/** The keys with this one before the others, where it is one of them. */
export const keyFirst = (keys: readonly string[], key: string | null): readonly string[] =>
  key !== null && keys.includes(key) ? [key, ...keys.filter(other => other !== key)] : keys

/**
 * The plan with what served the conversation last before the other replicas of its tier, and its key before the
 * others: prompt caches are worth up to nine tenths of what the prompt costs. It never comes before a better tier: a
 * conversation that was served by a weaker model, because the better one was away, goes back to the better one. An
 * endpoint that is not well keeps the place that the plan gave it; and while the fleet is degraded, so does one whose
 * provider has failed anybody of late.
 */
export function stickTo(plan: Plan, last: ServedLast | null, { failing }: Pick<Snapshot, 'failing'>): Plan {
  const { candidates, degraded } = plan
  const found = candidates.find(({ endpoint }) => endpoint.id === last?.endpoint)
  if (!last || !found || !isWell(found)) return plan
  if (degraded && failing.has(found.endpoint.provider)) return plan
  const keys = keyFirst(found.keys, last.key)
  const others = candidates.filter(candidate => candidate !== found)
  const at = others.findIndex(candidate => !isBefore(candidate, found))
  const sticky: Candidate = { ...found, keys, sticky: true }
  return { ...plan, candidates: others.toSpliced(at < 0 ? others.length : at, 0, sticky) }
}

/** It stands before all replicas of that tier. */
const isBefore = ({ tier, suspect }: Candidate, of: Candidate): boolean => !suspect && tier < of.tier

type Fleet = { chain: Chain; keys: Snapshot['keys'] }

const hasSeveralKeys = ({ keys }: Fleet, provider: string): boolean => (keys.get(provider) ?? []).length > 1

/** Whether a conversation could be served by one endpoint now and by its equal next time. */
export const hasChoice = (fleet: Fleet): boolean =>
  fleet.chain.sticky !== false &&
  fleet.chain.tiers.some(
    tier => tier.length > 1 || tier.some(({ provider }) => hasSeveralKeys(fleet, provider)),
  )

/** Whether the next request goes there anyhow, as long as all is well, so that nobody need remember it. */
export function isUsualPlace(
  fleet: Fleet,
  tier: number,
  endpoint: { id: EndpointId; provider: string },
): boolean {
  const { strategy, tiers } = fleet.chain
  const replicas = tiers[tier] ?? []
  return (
    isAsListed(replicas, strategy) &&
    replicas[0]?.id === endpoint.id &&
    !hasSeveralKeys(fleet, endpoint.provider)
  )
}
