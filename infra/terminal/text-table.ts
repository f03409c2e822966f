import { type Paint, type Style } from './paint.ts'

/** One cell; its style must not count towards its width. */
export type Cell = { text: string; style?: Style }

export type Column = {
  title: string
  /** The fewest characters that it may shrink to; absent = it never shrinks. */
  least?: number
  /** It is left out where the rest takes all the width. */
  spare?: boolean
}

const GAP = '  '

export const lengthOf = (text: string): number => [...text].length

/** Keeps the beginning of a text that is too long. */
export function cutEnd(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`
}

/** Keeps both ends of a text that is too long: of a model's name, the end tells as much as the beginning. */
export function cutMiddle(text: string, width: number): string {
  const characters = [...text]
  if (characters.length <= width) return text
  const head = Math.ceil((width - 1) / 2)
  const tail = Math.max(0, width - 1 - head)
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - tail).join('')}`
}

/** What stands in a cell that has nothing to say. */
export const NONE = '–'

const isEmpty = (text: string): boolean => text === '' || text === NONE

/**
 * Lays rows out below their titles, within a width where the columns that may shrink allow it. A column in which no row
 * has anything to say is left out, but for the first two.
 */
export function textTable(
  allColumns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: { width: number; paint: Paint },
): { title: string; lines: string[] } {
  const filled = allColumns.flatMap((_, index) =>
    index < 2 || rows.some(row => !isEmpty(row[index]?.text ?? '')) ? [index] : [],
  )
  const leastOf = (index: number): number => {
    const { title = '', least = Infinity } = allColumns[index] ?? {}
    const sizes = rows.map(row => lengthOf(row[index]?.text ?? ''))
    return Math.min(least, Math.max(lengthOf(title), ...sizes)) + GAP.length
  }
  const isWide = filled.reduce((sum, index) => sum + leastOf(index), -GAP.length) > width
  const shownAt = filled.filter(index => !isWide || !allColumns[index]?.spare)
  const columns = shownAt.flatMap(index => allColumns[index] ?? [])
  const cellAt = (row: readonly Cell[], index: number): Cell => row[shownAt[index] ?? index] ?? { text: '' }
  const natural = columns.map(({ title }, index) =>
    Math.max(lengthOf(title), ...rows.map(row => lengthOf(cellAt(row, index).text))),
  )
  let excess = natural.reduce((sum, size) => sum + size + GAP.length, -GAP.length) - width
  const widths = natural.map((size, index) => {
    const spare = Math.min(Math.max(0, excess), size - Math.min(size, columns[index]?.least ?? size))
    excess -= spare
    return size - spare
  })
  const layOut = (cells: readonly Cell[]): string =>
    widths
      .map((size, index) => {
        const { text, style } = cellAt(cells, index)
        const shown = cutMiddle(text, size)
        const padding = index === widths.length - 1 ? '' : ' '.repeat(size - lengthOf(shown))
        return `${style ? paint(style, shown) : shown}${padding}`
      })
      .join(GAP)
      .trimEnd()
  return { title: layOut(allColumns.map(({ title }) => ({ text: title }))), lines: rows.map(layOut) }
}
