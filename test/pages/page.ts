import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { withoutMarks } from '../bench/page-fragments.ts'

const root = new URL('../..', import.meta.url)

export const readFromRoot = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Every Markdown page of the project, by its path from the root. */
export const PAGES: readonly string[] = [
  'README.md',
  ...['infra', 'lambdas', 'test'].flatMap(folder =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.md'))
      .map(path => `${folder}/${path}`),
  ),
]

/** A fence, or a comment that prepares samples: its words, its text, and where the text begins. */
export type Block = { words: readonly string[]; text: string; textAt: number; line: number }

/** Fences, and comments such as `<!-- play`, which are read like a fence `sh play`. */
const BLOCK = /^(?:```(.*)\n([^]*?)^```|<!-- (play.*)\n([^]*?)^-->)$/gm

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(BLOCK)].map(match => {
    const [whole, fence, fenced, comment, commented] = match
    return {
      words: (fence ?? `sh ${comment}`).trim().split(/\s+/),
      text: fenced ?? commented ?? '',
      textAt: match.index + whole.indexOf('\n') + 1,
      line: page.slice(0, match.index).split('\n').length,
    }
  })
}

export type Page = {
  path: string
  text: string
  blocks: readonly Block[]
  /** The text below a heading, up to the next of the same or a higher level. */
  section(heading: string): string
  /** The cells of every table row below a heading that begins with a backtick, without backticks. */
  rows(heading: string): string[][]
}

export function readPage(path: string): Page {
  const text = readFromRoot(path)

  function section(heading: string): string {
    const depth = /^#+/.exec(heading)?.[0].length ?? 0
    const begin = `\n${text}`.indexOf(`\n${heading}\n`)
    expect(begin, `${path} has the heading "${heading}"`).toBeGreaterThanOrEqual(0)
    const [own = ''] = text.slice(begin + heading.length + 1).split(new RegExp(`^#{1,${depth}} `, 'm'))
    return withoutMarks(own)
  }

  const rows = (heading: string): string[][] =>
    section(heading)
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line =>
        line
          .split('|')
          .slice(1, -1)
          .map(cell => cell.replaceAll('`', '').trim()),
      )

  return { path, text, blocks: blocksOf(text), section, rows }
}

/** The first cells of rows, split where one row is about several names. */
export const firstCells = (rows: readonly string[][]): string[] =>
  rows.flatMap(([cell = '']) => cell.split(', '))
