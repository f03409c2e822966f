/** How one request of the week went. Times in milliseconds. */
export type Passage = {
  at: number
  answered: boolean
  /** Whether any endpoint of the chain would have answered when it came. */
  possible: boolean
  attempts: number
  /** Attempts that failed, and those among them on an endpoint that was dead or removed. */
  wasted: number
  structuralWaste: number
  durationMs: number
}

export type Tally = {
  requests: number
  possible: number
  answered: number
  /** Of the requests that could be answered. */
  answeredShare: number
  wasted: number
  structuralWaste: number
  meanMs: number
  p95Ms: number
  probes: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The figures of one way through the week. */
export function tallyOf(passages: readonly Passage[], probes: number): Tally {
  const durations = passages.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other)
  const possible = passages.filter(passage => passage.possible)
  return {
    requests: passages.length,
    possible: possible.length,
    answered: passages.filter(({ answered }) => answered).length,
    answeredShare: possible.filter(({ answered }) => answered).length / possible.length,
    wasted: sum(passages.map(({ wasted }) => wasted)),
    structuralWaste: sum(passages.map(({ structuralWaste }) => structuralWaste)),
    meanMs: sum(durations) / durations.length,
    p95Ms: durations[Math.floor(durations.length * 0.95)] ?? 0,
    probes,
  }
}
