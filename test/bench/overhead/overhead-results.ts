import type { Figure } from './measure.ts'

export type OverheadResults = {
  /** By row, concurrency and contestant. */
  rows: Record<string, Record<string, Record<string, Figure>>>
  /** At the end, in bytes. */
  rssBytes: Record<string, number>
}

/** What is compared on the pages: with several at a time, a process has no idle time to warm up in. */
const SHOWN = '16'

/** One row as pages and pictures show it: CPU time by the bare proxy's; the peer's is null where it was not measured. */
export type ShownRow = { name: string; ours: number; peer: number | null; addedMs: number }

export function shownRows({ rows }: OverheadResults): readonly ShownRow[] {
  return Object.entries(rows).flatMap(([name, byConcurrency]) => {
    const { Backstop: ours, peer } = byConcurrency[SHOWN] ?? {}
    const one = byConcurrency['1'] ?? byConcurrency[SHOWN]
    if (!ours || !one?.Backstop || !one.direct) return []
    const addedMs = one.Backstop.p50Ms - one.direct.p50Ms
    return [{ name, ours: ours.timesBare, peer: peer?.timesBare ?? null, addedMs }]
  })
}
