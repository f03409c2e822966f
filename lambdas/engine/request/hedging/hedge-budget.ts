/** So many requests pay for one hedge. */
const REQUESTS = 10
/** So many hedges may be saved up. */
const MOST_SAVED = 10

/** What bounds the hedges of one instance. */
export type HedgeBudget = {
  /** A request has come that may be hedged. */
  asked(): void
  /** False = the share is spent. */
  take(): boolean
  /** What was taken has led to no call. */
  giveBack(): void
}

/** Of ten requests one may be hedged; a burst of slow answers is met with what was saved before it. */
export function createHedgeBudget(): HedgeBudget {
  let saved = 0
  const save = (requests: number): void => void (saved = Math.min(MOST_SAVED * REQUESTS, saved + requests))
  return {
    asked: () => save(1),
    giveBack: () => save(REQUESTS),
    take() {
      if (saved < REQUESTS) return false
      saved -= REQUESTS
      return true
    },
  }
}
