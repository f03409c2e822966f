import { expect, test } from 'vitest'
import { LANES } from '../conduct/lanes.ts'
import { SCENARIOS } from '../conduct/scenarios.ts'
import { readPage } from './page.ts'

const page = readPage('test/conduct/README.md')

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())

/** Rows that begin with a number: number, fault, streamed, result, buffered, result. */
const faults = page.text
  .split('\n')
  .filter(line => /^\| \d+ \|/.test(line))
  .map(cellsOf)

const GRADES = ['pass', 'partial', 'safe', 'fail']
const score = (column: number): number[] =>
  GRADES.map(grade => faults.filter(cells => cells[column] === grade).length)
const row = (name: string, grades: readonly number[]): string => `| ${[name, ...grades].join(' | ')} |`

test('every fault has a row with what is promised of it', () => {
  const expected = SCENARIOS.map(({ title, streamed }, index) => [`${index + 1}`, title, streamed, 'pass'])
  expect(faults.map(([number, title, streamed, , buffered]) => [number, title, streamed, buffered])).toEqual(
    expected,
  )
})

test('the scorecard has the same score for every API, native and translated', () => {
  for (const lane of Object.keys(LANES)) {
    expect(page.text).toContain(row(`Backstop, ${lane}, streamed`, score(2)))
    expect(page.text).toContain(row(`Backstop, ${lane}, buffered`, score(4)))
  }
})

test('the first page has the score of these rows', () => {
  const { text } = readPage('README.md')
  expect(text).toContain(row('Backstop, streamed', score(2)))
  expect(text).toContain(row('Backstop, buffered', score(4)))
})
