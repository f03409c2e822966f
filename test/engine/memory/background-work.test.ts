import { expect, test } from 'vitest'
import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { createBackgroundWork, within } from '../../../lambdas/engine/memory/background-work.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'

test('work that fails is reported, gives null, and keeps nobody waiting', async () => {
  const lines: LogEvent[] = []
  const { start, settled } = createBackgroundWork(line => void lines.push(line))
  const done: string[] = []
  const late = Promise.withResolvers<string>()
  void start(late.promise).then(result => done.push(String(result)))
  expect(await start(Promise.reject(new Error('the table is away')))).toBeNull()
  expect(lines).toEqual([{ event: 'state-error', error: 'the table is away' }])
  // What is begun while others are waited for is waited for too.
  void start(late.promise.then(() => start(Promise.resolve('later'))).then(() => done.push('later')))
  const over = settled()
  late.resolve('first')
  await over
  expect(done).toEqual(['first', 'later'])
})

test('what comes in time is given, and nothing is waited for after it', async () => {
  const clock = createVirtualClock()
  const began = clock.now()
  expect(await within(300, Promise.resolve('here'), clock)).toBe('here')
  expect(clock.now()).toBe(began)
  expect(await within(300, new Promise(() => undefined), clock)).toBeNull()
  expect(clock.now()).toBe(began + 300)
  await expect(within(300, Promise.reject(new Error('no')), clock)).rejects.toThrow('no')
})
