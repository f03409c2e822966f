import type { Failure } from './failure.ts'
import { KINDS } from './kinds.ts'

/** What one failure may move of health and breakers. Pure reading of the failure, whatever the state. */
export type Blame = {
  /** Structural evidence against the endpoint: 0 = none; what is gone for good counts double. */
  evidence: 0 | 1 | 2
  /** The evidence is of the host itself, and so of every endpoint there; our own network may be at fault as well. */
  host: boolean
  /** Counts against the provider's breaker, and the endpoint's own. */
  breaker: boolean
  /** Counts towards the endpoint's own breaker: what is proven moves its health instead. */
  bench: boolean
}

const GONE_WORDING =
  /\bdecommissioned\b|\bend[ -]of[ -](?:its[ -])?life\b|\bretired\b|\bwas removed\b|\bno longer (?:available|supported|served|offered)\b|\b(?:has|have) been (?:removed|deprecated|discontinued|sunset|shut ?down)\b/i
/** Codes are written in snakes and camels, where words have no boundary. */
const GONE_CODE = /decommissioned|deprecated|retired|end_?of_?life/i

/** Whether a model's own host says that it will not come back. */
export const isGoneForGood = ({
  status,
  code,
  message,
}: Pick<Failure, 'status' | 'code' | 'message'>): boolean =>
  status === 410 || GONE_WORDING.test(message) || GONE_CODE.test(code ?? '')

/**
 * Whom a failure is to be held against, and how. Pure reading of the failure, whatever the state. A client that left,
 * its own broken request and our own network blame nobody.
 */
export function blameOf(failure: Failure): Blame {
  const { scope, structural } = failure
  const { breaker: counts, network, ownLimit } = KINDS[failure.kind]
  const blamed = scope !== 'request' && scope !== 'own_network'
  // Limits come and go with the clock or the account: whatever else is said, they prove no endpoint dead.
  const proven = structural && blamed && ownLimit === null
  const breaker = blamed && counts
  return {
    evidence: !proven ? 0 : isGoneForGood(failure) ? 2 : 1,
    host: network,
    breaker,
    bench: breaker && !proven,
  }
}
