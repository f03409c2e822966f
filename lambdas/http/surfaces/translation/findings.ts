/** What a translation comes across beside its result. */
export type Findings = {
  /** Left out, visibly. */
  drop(name: string): void
  /** Only an endpoint that speaks this API itself can serve the field. */
  needNative(param: string): void
  /** Only the endpoint that holds the state behind the field can. */
  needState(param: string): void
  dropped(): readonly string[]
  /** The first field at fault; null where there is none. */
  native(): string | null
  state(): string | null
}

/** Collects findings, each once. */
export function createFindings(): Findings {
  const dropped = new Set<string>()
  let native: string | null = null
  let state: string | null = null
  return {
    drop: name => void dropped.add(name),
    needNative: param => void (native ??= param),
    needState: param => void (state ??= param),
    dropped: () => [...dropped],
    native: () => native,
    state: () => state,
  }
}
