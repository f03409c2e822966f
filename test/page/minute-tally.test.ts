import { expect, test } from 'vitest'
import { createMinuteTally, type Counted } from '../../infra/page/traffic/minute-tally.ts'

const START = 1_790_000_000_000
const MINUTE = 60_000
const one = (changes: Partial<Counted> = {}): Counted => ({
  model: 'gpt-4o',
  at: START,
  result: 'answered',
  fallback: false,
  ...changes,
})

test('the share of the last hour is right after 100,000 requests over three hours', () => {
  const tally = createMinuteTally(START)
  const minutes = 180
  const each = Math.ceil(100_000 / minutes)
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let index = 0; index < each; index += 1) {
      const result = minute >= 120 && index % 10 === 0 ? 'unanswered' : 'answered'
      tally.add(one({ at: START + minute * MINUTE, result, model: `model-${index % 7}` }))
    }
  }
  const now = START + (minutes - 1) * MINUTE
  const failed = 60 * Math.ceil(each / 10)
  expect(tally.answered(now)).toEqual({
    part: 60 * each - failed,
    whole: 60 * each,
    since: now - 60 * MINUTE,
  })
  const traffic = [...tally.traffic(now).values()]
  expect(traffic).toHaveLength(7)
  expect(traffic.reduce((sum, { requests }) => sum + requests, 0)).toBe(60 * each)
  expect(traffic.reduce((sum, counts) => sum + counts.failed, 0)).toBe(failed)
})

test('an hour without requests empties it, although none comes that would', () => {
  const tally = createMinuteTally(START)
  tally.add(one())
  expect(tally.answered(START + 59 * MINUTE)).toMatchObject({ part: 1, whole: 1, since: START })
  expect(tally.answered(START + 61 * MINUTE)).toMatchObject({ part: 0, whole: 0 })
  expect(tally.traffic(START + 61 * MINUTE).size).toBe(0)
})

test('what says nothing about the gateway is no part of the share, and still a request of its model', () => {
  const tally = createMinuteTally(START)
  tally.add(one({ result: 'excluded' }))
  tally.add(one({ fallback: true }))
  expect(tally.answered(START)).toMatchObject({ part: 1, whole: 1 })
  expect(tally.traffic(START).get('gpt-4o')).toEqual({ requests: 2, fallbacks: 1, answered: 1, failed: 0 })
})

test('models that clients make up take no more room than a thousand', () => {
  const tally = createMinuteTally(START)
  for (let index = 0; index < 5_000; index += 1) tally.add(one({ model: `made-up/${index}` }))
  expect(tally.traffic(START).size).toBe(1_000)
  expect(tally.answered(START).whole).toBe(5_000)
})
