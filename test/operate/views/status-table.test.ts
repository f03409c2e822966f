import { describe, expect, test } from 'vitest'
import { plain, type Paint } from '../../../infra/terminal/paint.ts'
import { statusTable } from '../../../infra/operate/views/status-table.ts'
import type { HopView } from '../../../lambdas/core/routing/view/model-view.ts'
import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { endpointRow } from '../../support/endpoint-row.ts'
import { hopRow } from '../../support/model-row.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000

const quarantined = endpointRow({
  endpoint: 'zen/dead',
  id: 'zen/dead',
  health: 'quarantined',
  usable: false,
  since: NOW - 3 * MINUTE,
  next_probe_at: NOW + 45_000,
  last_failure: {
    kind: 'model_not_found',
    status: 404,
    message: 'No such\n\u001B[31mmodel.',
    at: NOW - 30_000,
  },
  failures: 7,
})

type Options = { hops?: readonly HopView[]; width?: number; paint?: Paint; all?: boolean }

const table = (
  rows: readonly EndpointRow[],
  { hops = [], width = 80, paint = plain, all = false }: Options = {},
): string[] => statusTable(rows, new Map(hops.map(hop => [hop.id, hop])), { now: NOW, width, paint, all })

test('the fleet reads at a glance', () => {
  const cooling = endpointRow({
    endpoint: 'openai/gpt-4o',
    id: 'openai/gpt-4o',
    usable: false,
    successes: 1_170,
    failures: 34,
  })
  const hops = [
    hopRow('groq/llama'),
    hopRow('zen/dead', { reason: 'quarantined', health: 'quarantined', next_probe_at: NOW + 45_000 }),
    hopRow('openai/gpt-4o', { reason: 'cooldown', until: NOW + 19_400 }),
  ]
  expect(table([endpointRow(), quarantined, cooling], { hops })).toEqual([
    '   endpoint       state              then                ok in 7 days',
    '   groq/llama     healthy            –                   –',
    '✗  zen/dead       quarantined 3 min  next probe in 45 s  0 % of 7',
    '     model_not_found 404 30 s ago: No such [31mmodel.',
    '!  openai/gpt-4o  cooling down       back in 19 s        97 % of 1,204',
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
  expect(line).toContain('  retired 3 min ')
  expect(advice).toBe('     The model is gone. Its provider lists zen/alive. Change the configuration.')
  expect(table([{ ...retired, suggestion: null }])[3]).toBe(
    '     The model is gone. Change the configuration.',
  )
})

test('a failure of a healthy endpoint is told while it is fresh', () => {
  const failure = { kind: 'rate_limit', status: 429, message: 'slow down' }
  const failed = (at: number) => table([endpointRow({ last_failure: { ...failure, at } })])
  expect(failed(NOW - MINUTE)[2]).toBe('     rate_limit 429 60 s ago: slow down')
  expect(failed(NOW - 60 * MINUTE)).toHaveLength(2)
})

describe('the state', () => {
  const hop = (changes: Partial<HopView>) => hopRow('groq/llama', changes)
  test.each<[string, Partial<EndpointRow>, HopView | null, string]>([
    [
      'of an open breaker is not healthy',
      { breaker: 'open' },
      hop({ reason: 'breaker_open', until: NOW + 48_000 }),
      '✗  groq/llama  provider paused  next test in 48 s',
    ],
    ['of a trial that is due is not healthy either', {}, hop({ test: true }), '!  groq/llama  test now'],
    [
      'without a key is a state of its own',
      { missing_key: true },
      hop({ reason: 'no_key' }),
      '·  groq/llama  no key',
    ],
    [
      'of a spent limit tells when it is back',
      {},
      hop({ reason: 'quota', until: NOW + 2 * 3_600_000 }),
      '!  groq/llama  limit spent  back in 2 h',
    ],
    [
      'of a suspect tells its probe',
      { health: 'suspect', since: NOW - 5_000, next_probe_at: NOW - 9 },
      hop({ health: 'suspect' }),
      '!  groq/llama  suspect 5 s  next probe now',
    ],
    [
      'of an endpoint of no shown model is known by its row',
      { usable: false },
      null,
      '!  groq/llama  not usable',
    ],
    [
      'never rounds up to 100 %',
      { successes: 1_999, failures: 1 },
      hop({}),
      '   groq/llama  healthy  99 % of 2,000',
    ],
    ['says 100 % where all went well', { successes: 3 }, hop({}), '   groq/llama  healthy  100 % of 3'],
  ])('%s', (_title, changes, known, expected) => {
    expect(table([endpointRow(changes)], { hops: known ? [known] : [] })[1]).toBe(expected)
  })
})

describe('the width', () => {
  const long = 'openrouter/meta-llama/llama-3.3-70b-instruct-turbo-extended:free'
  const worst = endpointRow({
    ...quarantined,
    endpoint: long,
    successes: 1_000_000,
    last_failure: { kind: 'server_error', status: 500, message: 'x'.repeat(300), at: NOW },
  })

  test.each([80, 120, 200])('is kept at %i columns', width => {
    const lines = table([worst, endpointRow()], { width })
    expect(Math.max(...lines.map(line => [...line].length))).toBeLessThanOrEqual(width)
    expect(lines[2]?.at(-1)).toBe('…')
  })

  test('leaves both ends of a name', () => {
    expect(table([worst])[1]).toMatch(/ openr\S*…\S*free /)
  })

  test('is not used up where there is room', () => {
    expect(table([worst], { width: 400 })[1]).toContain(long)
  })
})

describe('of many endpoints', () => {
  const rows = Array.from({ length: 30 }, (_, index) =>
    endpointRow({ endpoint: `a/${index}`, id: `a/${index}` }),
  )
  const hops = rows.map(({ id }, index) =>
    hopRow(id, index < 3 ? { reason: 'breaker_open', until: NOW + 9_000 } : {}),
  )

  test('the healthy ones, and those of a paused provider, are counted', () => {
    expect(table([...rows, quarantined], { hops })).toEqual([
      '   endpoint  state              then                ok in 7 days',
      expect.stringContaining('✗  zen/dead'),
      expect.stringContaining('model_not_found'),
      '… and 3 endpoints of paused providers, 27 healthy endpoints (--all shows them)',
    ])
  })

  test('all are shown where that is asked for', () => {
    expect(table(rows, { hops, all: true })).toHaveLength(31)
  })
})

test('colours do not move the columns', () => {
  const rows = [endpointRow(), quarantined]
  const painted = table(rows, { paint: (style, text) => `<${style}>${text}</${style}>` })
  expect(painted[1]).toContain('<green>healthy</green>')
  expect(painted[2]).toContain('<red>quarantined 3 min</red>')
  expect(painted.map(line => line.replaceAll(/<\/?\w+>/g, ''))).toEqual(table(rows))
})
