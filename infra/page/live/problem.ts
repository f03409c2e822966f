/** What keeps something from being read, as people are told it. */
export type Problem = {
  met(message: string): void
  over(): void
  /** Null = nothing, or too early to tell. */
  readonly told: string | null
}

/** A machine that is busy for a moment is no problem: the first failure is tried again soon, and the second one is told. */
export function createProblem(tryAgain: () => void): Problem {
  let last: { message: string; times: number } | null = null
  return {
    met(message) {
      last = { message, times: (last?.times ?? 0) + 1 }
      if (last.times === 1) tryAgain()
    },
    over() {
      last = null
    },
    get told() {
      return last !== null && last.times > 1 ? last.message : null
    },
  }
}
