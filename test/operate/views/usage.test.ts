import { describe, expect, it, test } from 'vitest'
import { usageDays } from '../../../infra/operate/views/usage-days.ts'
import { groupUsage, parseGroup, type UsageGroup } from '../../../infra/operate/views/usage-groups.ts'
import { usageTable } from '../../../infra/operate/views/usage-table.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import type { UsageRow } from '../../../lambdas/engine/callers/read-usage.ts'

const NOW = Date.UTC(2026, 2, 1, 0, 30)

const row = (changes: Partial<UsageRow>): UsageRow => ({
  caller: 'billing',
  model: 'gpt-4o',
  endpoint: 'openai/gpt-4o',
  day: '2026-02-28',
  requests: 10,
  failed: 0,
  fallbacks: 0,
  promptTokens: 1_000,
  outputTokens: 100,
  dollars: 0.5,
  lostDollars: 0,
  unpriced: 0,
  ...changes,
})

const ROWS = [
  row({}),
  row({
    caller: 'script \u001B[31m',
    endpoint: 'groq/llama-3.1-8b-instant',
    fallbacks: 4,
    failed: 2,
    dollars: 120.126,
    day: '2026-03-01',
  }),
  row({ model: '(direct)', promptTokens: 12_345_678, unpriced: 3, lostDollars: 0.01 }),
]

const table = (by: UsageGroup, rows: readonly UsageRow[] = ROWS): string[] =>
  usageTable(
    groupUsage(rows, by),
    { by, days: { first: '2026-02-23', last: '2026-03-01' } },
    { width: 80, paint: plain },
  )

describe('the days that are asked about', () => {
  test.each([
    [{}, '2026-02-23', '2026-03-01'],
    [{ days: '1' }, '2026-03-01', '2026-03-01'],
    [{ days: '30' }, '2026-01-31', '2026-03-01'],
    [{ month: '2026-02' }, '2026-02-01', '2026-02-28'],
    [{ month: '2028-02' }, '2028-02-01', '2028-02-29'],
    [{ month: '2025-12' }, '2025-12-01', '2025-12-31'],
  ])('%j', (asked, first, last) => {
    expect(usageDays(asked, NOW)).toEqual({ first, last })
  })

  test.each([
    [{ days: '0' }, '--days: expected a number of days from 1 to 427.'],
    [{ days: 'all' }, '--days: expected a number of days from 1 to 427.'],
    [{ days: '428' }, '--days: expected a number of days from 1 to 427.'],
    [{ month: '2026-13' }, '--month: expected a month such as 2026-03.'],
    [{ month: '2026-02', days: '3' }, 'Use either --days or --month, not both.'],
  ])('%j is refused in words', (asked, message) => {
    expect(() => usageDays(asked, NOW)).toThrow(message)
  })
})

describe('use summed up', () => {
  it('shows who cost most first, and the total', () => {
    expect(table('caller')).toEqual([
      'Use by caller, from 2026-02-23 to 2026-03-01 (UTC)',
      '',
      'caller       requests  failed  tokens in  out  dollars    lost  fallback',
      'script [31m        10       2      1,000  100  120.13   0.0000    50.0 %',
      'billing            20       0     12.3 M  200  1.0000*  0.0100       0 %',
      'total              30       2     12.3 M  300  121.13*  0.0100    14.3 %',
      '',
      '* without 3 requests whose price is not known',
    ])
  })

  it('shows days in their order', () => {
    expect(groupUsage(ROWS, 'day').map(({ name }) => name)).toEqual(['2026-02-28', '2026-03-01'])
  })

  it('fits a terminal, however long the names', () => {
    const long = ROWS.map(one => ({
      ...one,
      endpoint: `openrouter/${'x'.repeat(90)}`,
      requests: 9_999_999,
      dollars: 99_999,
    }))
    expect(table('endpoint', long).filter(line => line.length > 80)).toEqual([])
  })

  it('says so where nothing is on record', () => {
    expect(table('model', [])).toEqual(['No use is on record from 2026-02-23 to 2026-03-01 (UTC).'])
  })

  it('knows four ways, and no other', () => {
    expect(parseGroup('day')).toBe('day')
    expect(() => parseGroup('hour')).toThrow('--by: expected caller, model, endpoint or day.')
  })
})
