import { shownRows, type OverheadResults } from './overhead-results.ts'

const WIDTH = 720
const LINE = 18
const LEFT = 230
const BAR = 420

const STYLE = `text { font: 14px system-ui, sans-serif; fill: #1f2328 } .figure { font-size: 12px }
rect { fill: #8c959f } .ours { fill: #1a7f37 } line { stroke: #8c959f; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .ours { fill: #3fb950 } line { stroke: #6e7681 } }`

/** CPU time a request, row by row, with the bare proxy as a line at 1; in a light and a dark theme. */
export function drawOverhead(results: OverheadResults): string {
  const rows = shownRows(results)
  const most = Math.max(1, ...rows.flatMap(({ ours, peer }) => [ours, peer ?? 0]))
  const widthOf = (times: number): number => Math.round((times / most) * BAR)
  const height = rows.length * (2 * LINE + 10) + 40
  const bar = (y: number, times: number, name: string, kind: string): string =>
    `<rect${kind} x="${LEFT}" y="${y}" width="${widthOf(times)}" height="${LINE - 4}" rx="2"/><text class="figure" x="${LEFT + widthOf(times) + 6}" y="${y + 11}">${times.toFixed(1)}${name}</text>`
  const drawn = rows.map(({ name, ours, peer }, place) => {
    const y = 30 + place * (2 * LINE + 10)
    const names = place === 0 ? [' Backstop', ' peer'] : ['', '']
    const other = peer === null ? '' : `\n${bar(y + LINE, peer, names[1] ?? '', '')}`
    return `<text x="0" y="${y + 12}">${name}</text>\n${bar(y, ours, names[0] ?? '', ' class="ours"')}${other}`
  })
  const one = LEFT + widthOf(1)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="CPU time a request, with a bare proxy as 1">
<style>${STYLE}</style>
<text class="figure" x="${one - 30}" y="12">bare proxy = 1</text>
<line x1="${one}" y1="18" x2="${one}" y2="${height - 8}"/>
${drawn.join('\n')}
</svg>
`
}
