import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readPipedText } from '../../../infra/operate/ask/piped-text.ts'

const LIMITS = { firstMs: 20, stallMs: 20, mostBytes: 10 }

test('what is piped in is read to its end, in whole characters', async () => {
  const input = new PassThrough()
  const text = readPipedText(input, { ...LIMITS, firstMs: 60_000, stallMs: 60_000 })
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
  input.write(first)
  input.end(Buffer.concat([second, Buffer.from('!\n')]))
  expect(await text).toBe('é!')
})

test.each([
  ['that is empty', (input: PassThrough) => void input.end()],
  ['to which nobody writes', () => undefined],
])('a pipe %s is none', async (_title, act) => {
  const input = new PassThrough()
  act(input)
  expect(await readPipedText(input, LIMITS)).toBeNull()
  expect(input.destroyed).toBe(true)
})

test.each([
  ['that stops in the middle', 'abc', 'has not ended'],
  ['that is too long', 'abcdefghijk', 'are piped in. Send less.'],
])('a pipe %s is an error', async (_title, written, expected) => {
  const input = new PassThrough()
  input.write(written)
  await expect(readPipedText(input, LIMITS)).rejects.toThrow(expected)
})
