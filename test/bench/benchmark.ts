/** One measurement, by its name on the command line: `npm run bench -- week`. */
export type Benchmark<Results extends object = object> = {
  /** Why it cannot run on this machine; null = it can. */
  missing?(): string | null
  /** Prints its tables, and returns the raw numbers, which go into a JSON file. `short`: a smaller sample, for CI. */
  run(options: { short: boolean }): Promise<Results>
  /** What the pages say of these results. */
  fragments?(results: Results, circumstances: Circumstances): readonly Fragment[]
  /** The pictures of these results, each by its path from the root. */
  pictures?(results: Results, circumstances: Circumstances): readonly Picture[]
}

/** When and where results were measured. `date`: in UTC, such as 2026-11-30. */
export type Circumstances = { date: string; cores: number; node: string }

/** The text between `<!-- bench NAME ID -->` and `<!-- /bench -->` on a page, which is named by its path from the root. */
export type Fragment = { page: string; id: string; text: string }

export type Picture = { file: string; svg: string }
