import { describe, expect, it, test } from 'vitest'
import { waitUntilNamedTime } from '../../../../lambdas/core/failures/waits/calendar-time.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 9, 1, 12, 0, 0)

test.each([
  ['resets 4:30pm (Asia/Calcutta)', 23 * HOUR],
  ['resets 1am (Asia/Singapore)', 5 * HOUR],
  ['resets Oct 2, 3pm (America/Chicago)', DAY + 8 * HOUR],
  ['resets Dec 15, 3pm (America/Chicago)', 75 * DAY + 9 * HOUR],
  ['Try again at Aug 20, 2027, 7:38 AM.', 322 * DAY + 19 * HOUR + 38 * MINUTE],
  ['try again on August 20th, 2027 at 07:38 UTC', 322 * DAY + 19 * HOUR + 38 * MINUTE],
  ['available again at 2 October 2026 09:00 GMT', 21 * HOUR],
  ['Resets at 12 noon', null],
  ['resets Friday, Oct 2 at 12:00 a.m. UTC', 12 * HOUR],
  ['until Oct 3', DAY + 12 * HOUR],
  ['resets daily at 11:59 UTC', 23 * HOUR + 59 * MINUTE],
  ['resets at 3:00 AM PT', 22 * HOUR],
  ['resets at 18:00 +02:00', 4 * HOUR],
  ['Resets: 2pm UTC', 2 * HOUR],
  // It would be half a day off.
  ['resets 4:30pm', null],
  ['resets 4:30pm (Moon/Tranquility)', null],
  ['resets Sep 30, 3pm (America/Chicago)', null],
  ['retry 5 times', null],
  ['resets 25:00 UTC', null],
  ['try again in 5 minutes', null],
  ['', null],
])('"%s"', (text, wait) => {
  expect(waitUntilNamedTime(text, NOW)).toBe(wait)
})

describe('a day without a zone', () => {
  it('is one of the zone that its provider counts in', () => {
    expect(waitUntilNamedTime('resets Oct 2, 8:00 am', NOW, '+08:00')).toBe(12 * HOUR)
  })
})

describe('a day without a year', () => {
  it('is the next one where the year ends, and the last one where it has begun', () => {
    expect(waitUntilNamedTime('resets Jan 1, 1am UTC', Date.UTC(2026, 11, 31, 23))).toBe(2 * HOUR)
    expect(waitUntilNamedTime('resets Dec 31, 11pm UTC', Date.UTC(2027, 0, 1, 1))).toBeNull()
  })
})

describe('a night in which clocks are changed', () => {
  it.each([
    ['resets 4am (America/Chicago)', Date.UTC(2026, 2, 8, 7), 2 * HOUR],
    ['resets 4am (America/Chicago)', Date.UTC(2026, 10, 1, 5), 5 * HOUR],
  ])('is as long as it is: %s', (text, now, wait) => {
    expect(waitUntilNamedTime(text, now)).toBe(wait)
  })
})
