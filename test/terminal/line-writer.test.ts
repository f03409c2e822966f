import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLineWriter } from '../../infra/terminal/line-writer.ts'

test('lines of one turn are written at once and in order, later ones later', async () => {
  const written: string[] = []
  const write = createLineWriter(lines => void written.push(lines))
  write('first')
  write('second')
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['first\nsecond'])
  write('third')
  await nextTurn()
  expect(written).toEqual(['first\nsecond', 'third'])
})
