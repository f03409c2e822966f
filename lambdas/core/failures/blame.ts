import type { Failure } from './failure.ts'
import { KINDS } from './kinds.ts'

/** What one failure may move: health, breaker, bench, cooldown. Pure reading of the failure, whatever the state. */
export type Blame = {
  /** Structural evidence against the endpoint: 0 = none; what is gone for good counts double. */
  evidence: 0 | 1 | 2
  /** The evidence could be our own network's fault: it counts only if another provider answered meanwhile. */
  needsWitness: boolean
  /** Counts against the provider's breaker. */
  breaker: boolean
  /** Counts towards benching the endpoint. */
  bench: boolean
  /** Whom a cooldown bars; null = no cooldown. */
  cooldown: 'key' | 'key-model' | 'model' | 'provider' | null
}

const GONE_WORDING =
  /\bdecommissioned\b|\bend[ -]of[ -](?:its[ -])?life\b|\bretired\b|\bwas removed\b|\bno longer (?:available|supported|served|offered)\b|\b(?:has|have) been (?:removed|deprecated|discontinued|sunset|shut ?down)\b/i
/** Codes are written in snakes and camels, where words have no boundary. */
const GONE_CODE = /decommissioned|deprecated|retired|end_?of_?life/i

const isGoneForGood = ({ status, code, message }: Failure): boolean =>
  status === 410 || GONE_WORDING.test(message) || GONE_CODE.test(code ?? '')

function cooldownTarget({ scope, kind, retryAfterMs, relayed }: Failure): Blame['cooldown'] {
  if (scope === 'request' || (KINDS[kind].waitsMs === null && retryAfterMs === null)) return null
  // What another Backstop says of one alias holds for each of our keys, and for no other alias.
  if (relayed && kind !== 'auth') return 'model'
  if (scope === 'key' || scope === 'provider') return scope
  return scope === 'model' && KINDS[kind].ownLimit !== null ? 'key-model' : 'model'
}

/** Whom a failure is to be held against, and how. A client that left, or its own broken request, blames nobody. */
export function blameOf(failure: Failure): Blame {
  const { scope, structural } = failure
  const { breaker: counts, network, ownLimit } = KINDS[failure.kind]
  const blamed = scope !== 'request'
  // Limits come and go with the clock or the account: whatever else is said, they prove no endpoint dead.
  const proven = structural && blamed && ownLimit === null
  const breaker = blamed && counts
  return {
    evidence: !proven ? 0 : isGoneForGood(failure) ? 2 : 1,
    needsWitness: network,
    breaker,
    bench: breaker && !proven,
    cooldown: proven ? null : cooldownTarget(failure),
  }
}
