/** One measurement, by its name on the command line: `npm run bench -- week`. */
export type Benchmark = {
  /** Why it cannot run on this machine; null = it can. */
  missing?(): string | null
  /** Prints its tables, and returns the raw numbers, which go into a JSON file. `short`: a smaller sample, for CI. */
  run(options: { short: boolean }): Promise<object>
}
