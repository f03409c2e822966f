import { describe, expect, it } from 'vitest'
import { dailyRequests } from '../../../lambdas/core/failures/waits/daily-requests.ts'

const said = (message: string, headers: Record<string, string> = {}, requestsCountDays = false) =>
  dailyRequests({ message, headers, requestsCountDays })

describe('how many requests a day an upstream allows', () => {
  it.each<[string, number]>([
    [
      'Rate limit reached for model `m` on requests per day (RPD): Limit 14400, Used 14400, Requested 1.',
      14_400,
    ],
    ['You have a limit of 50 requests per day on this plan.', 50],
    ['Your account is limited to 1,000 free requests a day.', 1_000],
    ['The daily request limit of 200 was reached.', 200],
    ['Daily limit: 25 requests. Come back tomorrow.', 25],
    ['Quota exceeded for metric GenerateRequestsPerDayPerProjectPerModel-FreeTier, limit: 20', 20],
  ])('is read from words: %s', (message, expected) => {
    expect(said(message)).toBe(expected)
  })

  it.each([
    'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day',
    'Rate limit reached on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619.',
    'Rate limit reached on requests per minute (RPM): Limit 30, Used 30.',
    'You have used up your daily free allocation of 10,000 neurons.',
    'Try again in 2 days.',
  ])('is not read from words about something else: %s', message => {
    expect(said(message)).toBeNull()
  })

  it('is read from headers that count days, the smallest of them', () => {
    expect(
      said('', { 'x-ratelimit-limit-requests-day': '14400', 'x-ratelimit-limit-requests-minute': '30' }),
    ).toBe(14_400)
    expect(said('', { 'x-ratelimit-limit-tokens-day': '1000000' })).toBeNull()
    expect(said('', { 'x-ratelimit-limit-requests': '1000' })).toBeNull()
    expect(said('', { 'x-ratelimit-limit-requests': '1000' }, true)).toBe(1_000)
    expect(said('', { 'x-ratelimit-limit-day': '0' })).toBeNull()
  })
})
