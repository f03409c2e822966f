import { describe, expect, test } from 'vitest'
import { parseDuration } from '../../../../lambdas/core/failures/waits/duration.ts'
import { retryAfterMs } from '../../../../lambdas/core/failures/waits/retry-after.ts'

const NOW = Date.UTC(2026, 9, 1, 12, 0, 0)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const said = (message: string) => JSON.stringify({ error: { message } })

test('a field counts where a framework nests the error in its detail', () => {
  const body = JSON.stringify({ detail: { error: 'limited', retry_after_seconds: 33 } })
  expect(retryAfterMs({}, body, NOW)).toBe(33_000)
})

describe('headers', () => {
  test.each<[string, Record<string, string>, number | null]>([
    ['whole seconds', { 'retry-after': '5' }, 5_000],
    ['no wait at all', { 'retry-after': '0' }, null],
    ['a fraction of a second', { 'retry-after': '1.5' }, 1_500],
    ['a list, of which the first counts', { 'retry-after': '5, 10' }, 5_000],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Oct 2026 12:00:30 GMT' }, 30_000],
    ['a date that is past, which is not stated', { 'retry-after': 'Thu, 01 Oct 2026 11:00:00 GMT' }, null],
    ['a negative number, which is not stated', { 'retry-after': '-5' }, null],
    ['a word, which is not stated', { 'retry-after': 'soon' }, null],
    ['an age, which is clamped to a day', { 'retry-after': '99999999999' }, DAY],
    ['milliseconds', { 'retry-after-ms': '750', 'retry-after': '1' }, 750],
    ["milliseconds as Azure's x-ms header", { 'x-ms-retry-after-ms': '1200' }, 1_200],
    ['a bare reset in epoch seconds', { 'x-ratelimit-reset': String(NOW / 1_000 + 45) }, 45_000],
    ['a bare reset in epoch milliseconds', { 'x-ratelimit-reset': String(NOW + 45_000) }, 45_000],
    ['a bare reset in seconds', { 'ratelimit-reset': '12' }, 12_000],
    [
      'the reset of a dimension whose status says that it is over',
      {
        'x-ratelimit-unified-5h-status': 'rejected',
        'x-ratelimit-unified-5h-reset': String(NOW / 1_000 + 7_200),
        'x-ratelimit-unified-7d-status': 'allowed_warning',
        'x-ratelimit-unified-7d-reset': String(NOW / 1_000 + 80_000),
      },
      2 * HOUR,
    ],
    ['a structured field', { ratelimit: '"default";r=0;t=45' }, 45_000],
    ['the spent policy of several', { ratelimit: '"day";r=12;t=40000, "burst";r=0;t=9' }, 9_000],
    ['a structured field of an older draft', { ratelimit: 'limit=100, remaining=0, reset=50' }, 50_000],
    ['a structured field with calls left', { ratelimit: '"default";r=10;t=45' }, null],
    ['a structured field that states no wait', { ratelimit: '"default";r=0, "t=5' }, null],
    [
      'a bare reset whose window has calls left',
      { 'x-ratelimit-reset': '12', 'x-ratelimit-remaining': '3' },
      null,
    ],
    [
      'a Go duration',
      { 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' },
      6 * MINUTE,
    ],
    [
      'a Go duration in milliseconds',
      { 'x-ratelimit-reset-tokens': '500ms', 'x-ratelimit-remaining-tokens': '0' },
      500,
    ],
    [
      'float seconds',
      { 'x-ratelimit-reset-tokens-minute': '12.7', 'x-ratelimit-remaining-tokens-minute': '0' },
      12_700,
    ],
    [
      'the longest of two spent dimensions',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '8s',
        'x-ratelimit-remaining-requests-day': '0',
        'x-ratelimit-reset-requests-day': '4h17m',
      },
      4 * HOUR + 17 * MINUTE,
    ],
    [
      'an RFC 3339 time',
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-10-01T12:00:41Z',
      },
      41_000,
    ],
    [
      'dimensions of which none is spent',
      { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-remaining-requests': '9' },
      null,
    ],
    ['nothing', {}, null],
  ])('read %s', (_title, headers, wait) => {
    expect(retryAfterMs(headers, null, NOW)).toBe(wait)
  })
})

describe('bodies', () => {
  test.each<[string, string, number | null]>([
    ['seconds with a fraction', said('Please try again in 7.66s. Visit https://example.com'), 7_660],
    ['minutes and seconds', said('Please try again in 9m38.016s.'), 578_016],
    ['a long fraction', said('Please try again in 1m47.5854s.'), 107_585],
    ['milliseconds', said('Please try again in 120ms.'), 120],
    ['seconds spelled out', said('please try again after 1 seconds'), 1_000],
    ['"wait" as the lead-in', said('Please wait 5631 seconds before retrying.'), 5_631_000],
    ['"retry after" as the lead-in', said('Please retry after 23 seconds.'), 23_000],
    [
      'hours and minutes with a space',
      said('Subscription quota exceeded. Retry in 3hr 20min.'),
      3 * HOUR + 20 * MINUTE,
    ],
    ['words joined by "and"', said('Please wait 2 minutes and 5 seconds'), 125_000],
    ['Chinese', said('请求过于频繁，请60秒后重试'), 60_000],
    ['a bare number at the end', said('Retry after 30.'), 30_000],
    ['a count that is no duration', said('We retry 3 times'), null],
    ['a limit that is no wait', said('Rate limit of 50 per 86400s exceeded'), null],
    ['a reset date in UTC', said('You will regain access on 2026-10-02 at 00:00 UTC.'), 12 * HOUR],
    ['a reset date with an offset', said('Your limit will reset at 2026-10-01T21:00:00+08:00'), HOUR],
    ['a reset date in the past', said('Your limit will reset at 2026-09-01 00:00:00'), null],
    [
      'a reset that is weeks off, where a month is spoken of',
      said('Monthly limit. It will reset at 2026-10-21 12:00:00'),
      20 * DAY,
    ],
    ['a reset that is weeks off, where none is', said('It will reset at 2026-10-21 12:00:00'), DAY],
    [
      'estimated_time in seconds',
      '{"error":"Model x is currently loading","estimated_time":577.375}',
      577_375,
    ],
    [
      'a protobuf duration',
      '[{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45s"}]}}]',
      45_000,
    ],
    [
      "a relay's quoted headers",
      `{"error":{"code":429,"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"${NOW + 9_000}"}}}}`,
      9_000,
    ],
    ['no JSON', 'upstream request timeout', null],
  ])('read %s', (_title, body, wait) => {
    expect(retryAfterMs({}, body, NOW)).toBe(wait)
  })

  test('a precise duration in the text wins over whole seconds in the header', () => {
    expect(retryAfterMs({ 'retry-after': '5' }, said('Please try again in 4.77s.'), NOW)).toBe(4_770)
  })

  test('the header wins over the reset of a dimension', () => {
    const headers = {
      'retry-after': '8',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '4h17m',
    }
    expect(retryAfterMs(headers, null, NOW)).toBe(8_000)
  })
})

test.each<[string, number | null]>([
  ['2m59.56s', 179_560],
  ['4h17m', 15_420_000],
  ['1 day', DAY],
  ['5 more', null],
  ['', null],
])('the duration "%s" is %s ms', (text, wait) => {
  expect(parseDuration(text)).toBe(wait)
})
