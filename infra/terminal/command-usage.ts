import { callOf, type CommandRow, type OptionRow } from './command-row.ts'
import { lengthOf } from './text-table.ts'

const MOST_COLUMNS = 100
const USUAL_COLUMNS = 80
const LEAST_COLUMNS = 40
/** What is longer stands in a line of its own. */
const WIDEST_TERM = 22
const GAP = '  '

/** The columns of a terminal that text is written for: 80 where nobody knows. */
export const columnsOf = ({ columns }: { columns?: number | undefined }): number =>
  Math.max(LEAST_COLUMNS, Math.min(columns || USUAL_COLUMNS, MOST_COLUMNS))

/** Breaks a text between words, so that no line is wider; a word that is wider stands alone. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const optionTerm = (name: string, { short, value }: OptionRow): string =>
  [
    [...(short === undefined ? [] : [`-${short}`]), ...(short === name ? [] : [`--${name}`])].join(', '),
    ...(value === undefined ? [] : [value]),
  ].join(' ')

/** Terms with what they mean beside them, or below where the terminal is narrow. */
function termLines(terms: readonly (readonly [string, string])[], width: number): string[] {
  const column = Math.min(WIDEST_TERM, Math.max(0, ...terms.map(([term]) => lengthOf(term))))
  return terms.flatMap(([term, does]) => {
    const lines = wrapText(does, width - column - 2 * GAP.length)
    const fits = lengthOf(term) <= column
    const beside = fits ? lines.slice(0, 1) : []
    const below = fits ? lines.slice(1) : lines
    return [
      `${GAP}${[term.padEnd(column), ...beside].join(GAP)}`.trimEnd(),
      ...below.map(line => `${GAP}${' '.repeat(column)}${GAP}${line}`),
    ]
  })
}

/** `Usage: npm run why -- [<request-id>] [options]` */
export function synopsisOf(row: CommandRow): string {
  const hasOptions = Object.keys(row.options).length > 0
  const rest = [row.words, hasOptions ? '[options]' : undefined].filter(part => part !== undefined)
  return `Usage: ${callOf(row)}${rest.length === 0 ? '' : ` -- ${rest.join(' ')}`}`
}

/** All that there is to say of a command. */
export function usageOf(row: CommandRow, width: number): string {
  const explained = (row.explained ?? []).map(({ word, does }) => [word, does] as const)
  const options = Object.entries(row.options).map(
    ([name, option]) => [optionTerm(name, option), option.does] as const,
  )
  return [
    ...wrapText(synopsisOf(row), width),
    '',
    ...wrapText(row.does, width),
    ...(explained.length + options.length === 0 ? [] : ['', ...termLines([...explained, ...options], width)]),
    ...(row.notes ?? []).flatMap(note => ['', ...wrapText(note, width)]),
  ].join('\n')
}
