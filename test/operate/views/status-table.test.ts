import { describe, expect, test } from 'vitest'
import { plain, type Paint } from '../../../infra/terminal/paint.ts'
import { statusTable } from '../../../infra/operate/views/status-table.ts'
import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { endpointRow } from '../../support/endpoint-row.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const quarantined = endpointRow({
  endpoint: 'zen/dead',
  health: 'quarantined',
  usable: false,
  since: NOW - 3 * MINUTE,
  next_probe_at: NOW + 45_000,
  last_failure: { kind: 'model_not_found', status: 404, message: 'No such\n\u001B[31mmodel.', at: NOW },
  failures: 7,
})

const table = (rows: readonly EndpointRow[], width = 120, paint: Paint = plain): string[] =>
  statusTable(rows, { now: NOW, width, paint })

/** The cells of the one row, without the mark. */
const cells = (changes: Partial<EndpointRow>): string[] =>
  (table([endpointRow(changes)])[1] ?? '').slice(3).split(/ {2,}/)

test('the fleet reads at a glance', () => {
  const cooling = endpointRow({
    endpoint: 'openai/gpt-4o',
    cooldowns: [{ scope: 'model', key: null, reason: 'rate_limit', until: NOW + 19_400 }],
    usable: false,
    successes: 1_170,
    failures: 34,
  })
  expect(table([endpointRow(), quarantined, cooling])).toEqual([
    '   endpoint       health       since  cooldown         breaker  probe in  ok in 7 days',
    '   groq/llama     healthy      –      –                closed   –         –',
    '✗  zen/dead       quarantined  3 min  –                closed   45 s      0 % of 7',
    '     model_not_found 404: No such [31mmodel.',
    '!  openai/gpt-4o  healthy      –      rate_limit 19 s  closed   –         97 % of 1,204',
  ])
})

test('what an endpoint refused stands below it', () => {
  const refuses = [
    { what: 'tools', until: NOW + 3_600_000 },
    { what: 'context', window: 8_192, until: NOW + 2 * MINUTE },
    { what: 'param', name: 'seed', until: NOW + 45_000 },
  ] as const
  expect(table([endpointRow({ refuses })])[2]).toBe(
    '     refused: no tools (60 min), 8,192 tokens at most (2 min), no seed (45 s)',
  )
})

test('a model that is gone is told apart, with what its provider lists in its place', () => {
  const retired = { ...quarantined, retired: true, suggestion: 'zen/alive' }
  const [, line, , advice] = table([retired])
  expect(line).toContain('  retired ')
  expect(advice).toBe('     The model is gone. Its provider lists zen/alive. Change the configuration.')
  expect(table([{ ...retired, suggestion: null }])[3]).toBe(
    '     The model is gone. Change the configuration.',
  )
})

describe('a cell', () => {
  const cooldown = (reason: string, ms: number) => ({ scope: 'key', key: 'ab', reason, until: NOW + ms })
  test.each<[string, Partial<EndpointRow>, number, string]>([
    [
      'names the longest of several cooldowns',
      { cooldowns: [cooldown('rate_limit', 5_000), cooldown('quota_exhausted', 3 * 60 * MINUTE)] },
      3,
      'quota_exhausted 3 h',
    ],
    ['forgets a cooldown that is over', { cooldowns: [cooldown('rate_limit', -1)] }, 3, '–'],
    [
      'tells when an open breaker is tried',
      { breaker: 'open', trial_at: NOW + 48_000 },
      4,
      'open: trial in 48 s',
    ],
    ['tells that a trial is due', { breaker: 'open', trial_at: NOW - 1 }, 4, 'open: trial due'],
    ['tells that a trial is out', { breaker: 'half-open', trial_at: NOW + 9 }, 4, 'half-open: trial out'],
    ['tells that a probe is due', { health: 'suspect', next_probe_at: NOW - 9 }, 5, 'due'],
    ['says that a key is missing', { missing_key: true, usable: false }, 1, 'no key'],
    ['never rounds up to 100 %', { successes: 1_999, failures: 1 }, 6, '99 % of 2,000'],
    ['says 100 % where all went well', { successes: 3 }, 6, '100 % of 3'],
  ])('%s', (_title, changes, index, expected) => {
    expect(cells(changes)[index]).toBe(expected)
  })
})

describe('the width', () => {
  const long = 'openrouter/meta-llama/llama-3.3-70b-instruct-turbo-extended:free'
  const worst = endpointRow({
    ...quarantined,
    endpoint: long,
    cooldowns: [{ scope: 'key', key: 'ab', reason: 'quota_exhausted', until: NOW + 3 * 3_600_000 }],
    breaker: 'half-open',
    trial_at: NOW,
    successes: 1_000_000,
    last_failure: { kind: 'server_error', status: 500, message: 'x'.repeat(300), at: NOW },
  })

  test.each([120, 140, 200])('is kept at %i columns', width => {
    const lines = table([worst, endpointRow()], width)
    expect(Math.max(...lines.map(line => [...line].length))).toBeLessThanOrEqual(width)
    expect(lines[2]?.at(-1)).toBe('…')
  })

  test('leaves both ends of a name', () => {
    expect(table([worst])[1]).toMatch(/ openrouter\/\S*…\S*:free /)
  })

  test('is not used up where there is room', () => {
    expect(table([worst], 400)[1]).toContain(long)
  })
})

test('colours do not move the columns', () => {
  const painted = table([endpointRow(), quarantined], 120, (style, text) => `<${style}>${text}</${style}>`)
  expect(painted[1]).toContain('<green>healthy</green>')
  expect(painted[2]).toContain('<red>quarantined</red>')
  expect(painted.map(line => line.replaceAll(/<\/?\w+>/g, ''))).toEqual(table([endpointRow(), quarantined]))
})
