import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLineWriter } from '../../infra/terminal/line-writer.ts'

const moment = (): Promise<void> => sleep(40)

test('lines of one moment are made and written at once and in order, later ones later', async () => {
  const written: string[] = []
  const write = createLineWriter(lines => void written.push(lines))
  write(() => 'first')
  write(() => 'second')
  expect(written).toEqual([])
  await moment()
  expect(written).toEqual(['first\nsecond'])
  write(() => 'third')
  await moment()
  expect(written).toEqual(['first\nsecond', 'third'])
})
