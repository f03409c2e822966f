import { expect, test } from 'vitest'
import { SCENARIOS } from '../conduct/scenarios.ts'
import { readPage } from './page.ts'

const page = readPage('test/conduct/README.md')

/** Rows that begin with a number: number, fault, streamed, result, buffered, result. */
const faults = page.text
  .split('\n')
  .filter(line => /^\| \d+ \|/.test(line))
  .map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )

const score = (column: number) =>
  Object.fromEntries(
    ['pass', 'partial', 'safe', 'fail'].map(grade => [
      grade,
      faults.filter(cells => cells[column] === grade).length,
    ]),
  )

test('every fault has a row with what is promised of it', () => {
  const expected = SCENARIOS.map(({ title, streamed }, index) => [`${index + 1}`, title, streamed, 'pass'])
  expect(faults.map(([number, title, streamed, , buffered]) => [number, title, streamed, buffered])).toEqual(
    expected,
  )
})

test.each(['README.md', 'test/conduct/README.md'])('%s has the score of these rows', path => {
  const { text } = readPage(path)
  const row = (name: string, { pass, partial, safe, fail }: Record<string, number>): string =>
    `| ${name} | ${pass} | ${partial} | ${safe} | ${fail} |`
  expect(text).toContain(row('Backstop, streamed', score(2)))
  expect(text).toContain(row('Backstop, buffered', score(4)))
})
