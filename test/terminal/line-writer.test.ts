import { once } from 'node:events'
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

test('a line that cannot be made is left out, which is told, and the others are written', async () => {
  const written: string[] = []
  const write = createLineWriter(lines => void written.push(lines))
  const warned = once(process, 'warning') as Promise<[Error]>
  write(() => 'first')
  write(() => {
    throw new TypeError('no text')
  })
  write(() => 'third')
  const [{ message }] = await warned
  expect(message).toBe('A line of the log is left out: TypeError: no text')
  expect(written).toEqual(['first\nthird'])
})
