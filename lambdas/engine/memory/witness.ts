import type { Clock } from '../../platform/clock.ts'

/**
 * Tells our own network's trouble from an endpoint's: another provider must answer after the failure. What answered
 * before proves nothing, because the network may have gone since; nor does one that has lately failed in the same way,
 * because then it was our network that came back.
 */
export type Witness = {
  /** A provider answered anything at all: a status, an error, an answer. */
  answered(provider: string): void
  /** Runs `count` when another provider answers within the minute. */
  whenVouched(provider: string, count: () => void): void
  /** Evidence that nobody has vouched for yet. */
  readonly waiting: number
}

type Evidence = { provider: string; at: number; count: () => void }

const VOUCH_MS = 60_000

/** With a single provider nobody else could vouch, so its failures count as they come. */
export function createWitness(clock: Clock, onlyProvider: boolean): Witness {
  const failures = new Map<string, number>()
  let waiting: Evidence[] = []

  const isRecent = (at: number): boolean => clock.now() - at <= VOUCH_MS

  return {
    answered(provider) {
      const failedAt = failures.get(provider)
      const vouches = failedAt === undefined || !isRecent(failedAt)
      const vouched = vouches
        ? waiting.filter(other => other.provider !== provider && isRecent(other.at))
        : []
      waiting = waiting.filter(evidence => isRecent(evidence.at) && !vouched.includes(evidence))
      for (const { count } of vouched) count()
    },
    whenVouched(provider, count) {
      const at = clock.now()
      failures.set(provider, at)
      if (onlyProvider) count()
      else waiting.push({ provider, at, count })
    },
    get waiting() {
      waiting = waiting.filter(({ at }) => isRecent(at))
      return waiting.length
    },
  }
}
