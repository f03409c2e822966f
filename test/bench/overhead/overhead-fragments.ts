import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { shownRows, type OverheadResults, type ShownRow } from './overhead-results.ts'

const times = (value: number | null): string => (value === null ? 'not measured' : value.toFixed(1))

const find = (rows: readonly ShownRow[], name: string): ShownRow => {
  const row = rows.find(one => one.name === name)
  if (!row) throw new Error(`The results have no row "${name}".`)
  return row
}

/** What the pages say of the gateway's cost. */
export function overheadFragments(
  results: OverheadResults,
  circumstances: Circumstances,
): readonly Fragment[] {
  const rows = shownRows(results)
  const streamed = find(rows, 'chat, streamed, 60 tokens')
  const long = find(rows, 'chat, streamed, 2,000 tokens')
  const whole = find(rows, 'chat, whole')
  const said = (row: ShownRow): string => `${times(row.ours)} (${times(row.peer)})`
  const date = longDate(circumstances.date)
  const figures = `streamed 60 tokens ${said(streamed)}, streamed 2,000 tokens ${said(long)}, whole ${said(whole)}`
  const table = rows.map(
    row => `| ${row.name} | ${times(row.ours)} | ${times(row.peer)} | ${row.addedMs.toFixed(1)} ms |`,
  )
  return [
    {
      page: 'README.md',
      id: 'cost',
      text: `![CPU time a request of Backstop and of a peer, with a bare proxy as 1: ${figures}](infra/pictures/overhead.svg)

A request costs CPU time, and Lambda bills time. \`npm run bench -- overhead\` measures it beside the least that a proxy in Node can do (an HTTP server that pipes, = 1) and, in brackets, beside [another gateway in TypeScript](test/bench/peers.md), patched to run on Node 24: ${figures}. Measured on ${date}, 16 requests at a time, on ${circumstances.cores} cores.`,
    },
    { page: 'test/bench/README.md', id: 'last', text: `${figures} (${date})` },
    {
      page: 'test/bench/peers.md',
      id: 'rows',
      text: `Measured on ${date} with Node ${circumstances.node} on ${circumstances.cores} cores. CPU time a request with 16 at a time, the bare proxy = 1; median time added with one at a time, of a stream until its first byte:

| request | Backstop | peer | added by Backstop |
|---|---|---|---|
${table.join('\n')}

Whole answers of an endpoint that has lately been prompt are asked for as they are; those of others, in the row "added up", are the sum of a stream, in which silence is noticed sooner. The proxy and the peer ask for a whole answer in both rows.`,
    },
  ]
}
