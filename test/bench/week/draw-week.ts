import type { Tally } from './tally.ts'
import { percent } from './week-fragments.ts'

const WIDTH = 720
const ROW = 26
const LEFT = 190
const BAR = 400

type Figure = { title: string; of(tally: Tally): number; text(value: number): string }

const FIGURES: readonly Figure[] = [
  {
    title: 'Requests answered, of those that could be',
    of: ({ answeredShare }) => answeredShare,
    text: percent,
  },
  {
    title: 'Attempts on dead endpoints',
    of: ({ structuralWaste }) => structuralWaste,
    text: count => String(count),
  },
  {
    title: 'Mean time to an answer or an error',
    of: ({ meanMs }) => meanMs,
    text: ms => `${(ms / 1_000).toFixed(1)} s`,
  },
]

const STYLE = `text { font: 14px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 }
rect { fill: #8c959f } .ours { fill: #1a7f37 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .ours { fill: #3fb950 } }`

function drawFigure(
  { title, of, text }: Figure,
  tallies: readonly (readonly [string, Tally])[],
  top: number,
): string {
  const most = Math.max(...tallies.map(([, tally]) => of(tally)))
  const bars = tallies.map(([name, tally], row) => {
    const y = top + ROW * (row + 1)
    const width = Math.max(1, Math.round((of(tally) / most) * BAR))
    const kind = name === 'Backstop' ? ' class="ours"' : ''
    return `<text x="0" y="${y + 15}">${name}</text><rect${kind} x="${LEFT}" y="${y + 2}" width="${width}" height="16" rx="2"/><text x="${LEFT + width + 8}" y="${y + 15}">${text(of(tally))}</text>`
  })
  return `<text class="title" x="0" y="${top + 15}">${title}</text>\n${bars.join('\n')}`
}

/** The three ways through the week as bars, in a light and a dark theme. */
export function drawWeek(byName: Readonly<Record<string, Tally>>): string {
  const tallies = Object.entries(byName)
  const height = ROW * (tallies.length + 2)
  const figures = FIGURES.map((figure, position) => drawFigure(figure, tallies, position * height))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height * FIGURES.length}" role="img" aria-label="A week replayed, with and without memory">
<style>${STYLE}</style>
${figures.join('\n')}
</svg>
`
}
