import { describe, expect, it, test } from 'vitest'
import { readLimitHeaders } from '../../../lambdas/core/quota/read-limit-headers.ts'

const NOW = 1_790_000_000_000

const read = (headers: Record<string, string>, requestsCountDays = false) =>
  readLimitHeaders(headers, { now: NOW, requestsCountDays }).map(({ endsAt, ...rest }) => ({
    ...rest,
    inMs: Math.round(endsAt - NOW),
  }))

describe('limits that headers state', () => {
  const rows: [string, Record<string, string>, ReturnType<typeof read>][] = [
    [
      'OpenAI: durations, and nothing of the window',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '2.5s',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      [
        { name: 'requestsPerMinute', limit: 60, remaining: 59, inMs: 2_500 },
        { name: 'tokensPerDay', limit: 150_000, remaining: 149_984, inMs: 360_000 },
      ],
    ],
    [
      'Cerebras: float seconds, and a window in the name',
      {
        'x-ratelimit-limit-requests-day': '14400',
        'x-ratelimit-remaining-requests-day': '14399',
        'x-ratelimit-reset-requests-day': '33011.382867',
        'x-ratelimit-limit-tokens-minute': '60000',
        'x-ratelimit-remaining-tokens-minute': '59000',
        'x-ratelimit-reset-tokens-minute': '11.38',
      },
      [
        { name: 'requestsPerDay', limit: 14_400, remaining: 14_399, inMs: 33_011_383 },
        { name: 'tokensPerMinute', limit: 60_000, remaining: 59_000, inMs: 11_380 },
      ],
    ],
    [
      'OpenRouter: an instant in milliseconds',
      { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW + 42_000}` },
      [{ name: 'requestsPerMinute', limit: 20, remaining: 0, inMs: 42_000 }],
    ],
    [
      'Anthropic: a date, and the field at the end',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': new Date(NOW + 30_000).toISOString(),
      },
      [{ name: 'requestsPerMinute', limit: 50, remaining: 49, inMs: 30_000 }],
    ],
    [
      'whole seconds, which may have been rounded down',
      { 'ratelimit-limit': '100;w=60', 'ratelimit-remaining': '4', 'ratelimit-reset': '17' },
      [{ name: 'requestsPerMinute', limit: 100, remaining: 4, inMs: 18_000 }],
    ],
  ]
  test.each(rows)('%s', (_, headers, expected) => {
    expect(read(headers)).toEqual(expected)
  })

  it('are of a day where the provider counts requests so', () => {
    const headers = {
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-reset-requests': '2m59.56s',
    }
    expect(read(headers, true)).toMatchObject([{ name: 'requestsPerDay', limit: 14_400 }])
  })
})

describe('nothing is read from', () => {
  const limit = (headers: Record<string, string>) => ({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '20s',
    ...headers,
  })
  test.each([
    ['a limit of one second', limit({ 'x-ratelimit-reset-requests': '1' })],
    ['a limit without what is left', { 'x-ratelimit-limit': '20', 'x-ratelimit-reset': '30' }],
    [
      'a limit of something else',
      {
        'x-ratelimit-limit-images': '5',
        'x-ratelimit-remaining-images': '1',
        'x-ratelimit-reset-images': '20s',
      },
    ],
    ['more left than there is', limit({ 'x-ratelimit-remaining-requests': '61' })],
    [
      'a limit of nothing',
      limit({ 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': '0' }),
    ],
    ['words', limit({ 'x-ratelimit-limit-requests': 'many' })],
    ['a month', limit({ 'x-ratelimit-reset-requests': '2592000' })],
  ])('%s', (_, headers) => {
    expect(read(headers)).toEqual([])
  })
})
