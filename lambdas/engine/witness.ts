import type { Clock } from '../platform/clock.ts'

/**
 * Tells our own network's trouble from an endpoint's: another provider must have answered at about the same time. One
 * that has lately failed in the same way proves nothing by answering: then it was our network that came back.
 */
export type Witness = {
  /** A provider answered anything at all: a status, an error, an answer. */
  answered(provider: string): void
  /** Runs `count` when another provider answers within the minute, or at `settle` if one did in the minute before. */
  whenVouched(provider: string, count: () => void): void
  /** Notes the same kind of failure, and whether an answer of the last minute vouches for it already. */
  failed(provider: string): boolean
  /** The request has ended, so that whoever it asked besides has answered or failed by now. */
  settle(): void
  /** Evidence that nobody has vouched for yet. */
  readonly waiting: number
}

type Evidence = { provider: string; at: number; count: () => void }

const VOUCH_MS = 60_000

/** With a single provider nobody else could vouch, so its failures count as they come. */
export function createWitness(clock: Clock, onlyProvider: boolean): Witness {
  const answers = new Map<string, number>()
  const failures = new Map<string, number>()
  let waiting: Evidence[] = []

  function vouches(other: string, { provider, at }: Pick<Evidence, 'provider' | 'at'>): boolean {
    const seen = answers.get(other)
    if (other === provider || seen === undefined || Math.abs(at - seen) > VOUCH_MS) return false
    const failed = failures.get(other)
    return failed === undefined || seen - failed > VOUCH_MS
  }

  const isVouched = (evidence: Pick<Evidence, 'provider' | 'at'>): boolean =>
    onlyProvider || [...answers.keys()].some(other => vouches(other, evidence))

  function countWhere(isProven: (evidence: Evidence) => boolean): void {
    const vouched = waiting.filter(isProven)
    waiting = waiting.filter(evidence => !vouched.includes(evidence) && clock.now() - evidence.at <= VOUCH_MS)
    for (const evidence of vouched) evidence.count()
  }

  return {
    answered(provider) {
      answers.set(provider, clock.now())
      countWhere(evidence => vouches(provider, evidence))
    },
    whenVouched(provider, count) {
      const at = clock.now()
      failures.set(provider, at)
      if (onlyProvider) count()
      else waiting.push({ provider, at, count })
    },
    failed(provider) {
      const at = clock.now()
      failures.set(provider, at)
      return isVouched({ provider, at })
    },
    settle: () => countWhere(isVouched),
    get waiting() {
      waiting = waiting.filter(({ at }) => clock.now() - at <= VOUCH_MS)
      return waiting.length
    },
  }
}
