import { changeBreaker } from './change-breaker.ts'
import type { MemoryTools } from './memory-tools.ts'

export type TrialVerdict = 'succeeded' | 'failed' | 'undecided'

/** The trials of half-open breakers that this instance has out. */
export type BreakerTrials = {
  /** Claims the one trial of a breaker; false = someone else has it, or the table did not answer in time. */
  claim(provider: string): Promise<boolean>
  /** Reports the trial that an attempt was, if it was one; returns whether it was. */
  report(provider: string, startedAt: number, verdict: TrialVerdict): Promise<boolean>
}

const CLAIM_MS = 300

export function createBreakerTrials(tools: MemoryTools): BreakerTrials {
  const { clock } = tools
  const claimed = new Map<string, number>()

  async function tryToClaim(provider: string, at: number): Promise<boolean> {
    try {
      const breaker = await changeBreaker(tools, provider, { kind: 'trial_claimed', at })
      return breaker?.state === 'half-open' && breaker.trialStartedAt === at
    } catch (error) {
      tools.stateError(error)
      return false
    }
  }

  return {
    async claim(provider) {
      const at = clock.now()
      const answered = new AbortController()
      let won = false
      const claim = async (): Promise<void> => {
        won = await tryToClaim(provider, at)
        answered.abort()
      }
      // A claim that is won too late is nobody's trial; its lease lets the next one in.
      void claim()
      await clock.sleep(CLAIM_MS, answered.signal)
      if (won) claimed.set(provider, at)
      return won
    },

    async report(provider, startedAt, verdict) {
      const at = claimed.get(provider)
      if (at === undefined || startedAt < at) return false
      claimed.delete(provider)
      await changeBreaker(tools, provider, { kind: `trial_${verdict}`, at: clock.now(), claimedAt: at })
      return true
    },
  }
}
