import type { Clock } from '../../platform/clock.ts'

/**
 * Tells our own network's trouble from an endpoint's: another provider must answer after the failure. What answered
 * before proves nothing, because the network may have gone since; nor does one that has lately failed in the same way,
 * because then it was our network that came back.
 */
export type OwnNetworkCheck = {
  /** A provider answered anything at all: a status, an error, an answer. */
  answered(provider: string): void
  /** Runs `count` when another provider answers within the minute. */
  whenItWorks(provider: string, count: () => void): void
  /** Evidence against several providers that may still be our own network's fault: one alone may have been the only one that anybody asked. */
  readonly suspicious: number
}

type Evidence = { provider: string; at: number; count: () => void }

const ANSWER_WITHIN_MS = 60_000

/** With a single provider nothing tells the two apart, so its failures count as they come. */
export function createOwnNetworkCheck(clock: Clock, onlyProvider: boolean): OwnNetworkCheck {
  const failures = new Map<string, number>()
  let waiting: Evidence[] = []

  const isRecent = (at: number): boolean => clock.now() - at <= ANSWER_WITHIN_MS

  return {
    answered(provider) {
      const failedAt = failures.get(provider)
      const provesIt = failedAt === undefined || !isRecent(failedAt)
      const proven = provesIt
        ? waiting.filter(other => other.provider !== provider && isRecent(other.at))
        : []
      waiting = waiting.filter(evidence => isRecent(evidence.at) && !proven.includes(evidence))
      for (const { count } of proven) count()
    },
    whenItWorks(provider, count) {
      const at = clock.now()
      failures.set(provider, at)
      if (onlyProvider) count()
      else waiting.push({ provider, at, count })
    },
    get suspicious() {
      waiting = waiting.filter(({ at }) => isRecent(at))
      return new Set(waiting.map(({ provider }) => provider)).size > 1 ? waiting.length : 0
    },
  }
}
