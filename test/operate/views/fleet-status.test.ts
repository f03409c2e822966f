import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { describe, expect, it, test } from 'vitest'
import {
  type FleetStatus,
  newsOf,
  statusJson,
  statusLines,
} from '../../../infra/operate/views/fleet-status.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import type { ModelView } from '../../../lambdas/core/routing/view/model-view.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { endpointRow } from '../../support/endpoint-row.ts'
import { hopRow, modelRow } from '../../support/model-row.ts'

const NOW = 1_800_000_000_000

const cooling = hopRow('fast/gpt-4o', { reason: 'cooldown', cause: 'rate_limit', until: NOW + 18_000 })
const keyless = hopRow('xcloud/gpt-4o', { tier: 2, reason: 'no_key', key_variable: 'XCLOUD_API_KEY' })
const answering = hopRow('good/llama', { tier: 3 })
const dead = hopRow('ollama/llama3.2', {
  reason: 'quarantined',
  health: 'quarantined',
  cause: 'network',
  next_probe_at: NOW + 30_000,
})
const paused = hopRow('together/Llama-3.3-70B', {
  reason: 'breaker_open',
  cause: 'server_error',
  until: NOW + 41_000,
})
const MODELS = [
  modelRow('gpt-4o', [cooling, keyless, answering]),
  modelRow('small', [dead], { next: { what: 'probe', at: NOW + 30_000, endpoint: dead.endpoint } }),
  modelRow('solo', [paused], { next: { what: 'breaker test', at: NOW + 41_000, endpoint: paused.endpoint } }),
]
const ROWS = MODELS.flatMap(({ chain }) =>
  chain.map(({ endpoint, provider, health }) => endpointRow({ endpoint, id: endpoint, provider, health })),
)

const status = (changes: Partial<FleetStatus> = {}): FleetStatus => ({
  models: MODELS,
  rows: ROWS,
  mode: 'normal',
  overrides: {},
  settings: DEFAULT_SETTINGS,
  healthDisabled: false,
  warnings: [],
  tableTrouble: null,
  tableReadAt: NOW,
  stack: null,
  call: callsAbout({}),
  ...changes,
})

const shown = (changes: Partial<FleetStatus> = {}, { all = false, width = 80 } = {}): string[] =>
  statusLines(status(changes), { now: NOW, width, paint: plain, all })
const text = (changes: Partial<FleetStatus> = {}): string => shown(changes).join('\n')

test('the first screen names the models, the causes, what comes next, and the chains', () => {
  expect(text()).toBe(
    `1 of 3 models answers. Down: small (quarantined after network failures, next
  probe in 30 s), solo (provider paused after server errors, next test in 41 s).
From a lower tier: gpt-4o.

gpt-4o  answers from tier 3 of 3
  !  1 fast/gpt-4o    cooling down after a rate limit, back in 18 s
  ·  2 xcloud/gpt-4o  no key: set XCLOUD_API_KEY
  →  3 good/llama
small  does not answer
  ✗  1 ollama/llama3.2  quarantined after network failures, next probe in 30 s
solo  does not answer
  ✗  1 together/Llama-3.3-70B  provider paused, next test in 41 s

   endpoint                state            then
!  fast/gpt-4o             cooling down     back in 18 s
·  xcloud/gpt-4o           no key           –
   good/llama              healthy          –
✗  ollama/llama3.2         quarantined      next probe in 30 s
✗  together/Llama-3.3-70B  provider paused  next test in 41 s

1 of 5 providers can be called. Not: fast (cooling down after a rate limit, back
  in 18 s), xcloud (no key: set XCLOUD_API_KEY), ollama (quarantined after
  network failures, next probe in 30 s), together (provider paused after server
  errors, next test in 41 s).`,
  )
})

test.each<[string, Partial<FleetStatus>, string]>([
  ['degraded', { mode: 'degraded' }, '\nMode: degraded. Fewer than half'],
  ['a warning', { warnings: ['The strategy is ignored.'] }, '\nThe strategy is ignored.\n\n'],
  ['the kill switch', { healthDisabled: true }, 'endpoint_health_disabled is on'],
  [
    'overrides',
    { overrides: { retry_max_attempts: 2 } },
    '\n\nOverrides in force\n  retry_max_attempts = 2  instead of 4',
  ],
  [
    'an override out of range',
    { overrides: { retry_max_attempts: 99 } },
    'ignored: expected a number from 1 to 10',
  ],
  ['an override of nothing', { overrides: { retry_attempts: 2 } }, 'ignored: unknown setting'],
  ['a table that is away', { tableTrouble: 'The state table at x cannot be read.' }, 'What follows is what'],
  [
    'a gateway without its table',
    { tableReadAt: NOW - 180_000 },
    '\nThe gateway last read its table 3 min ago: what follows',
  ],
  ['a gateway that never had it', { tableReadAt: null }, '\nThe gateway has not been able to read its table'],
  [
    'a stack',
    { stack: 'Prod', call: callsAbout({ stack: 'Prod' }) },
    'no key: npm run keys -- set xcloud --stack Prod',
  ],
  ['that all answer', { models: [modelRow('a', [answering])] }, 'The model answers.'],
])('%s is told', (_title, changes, expected) => {
  expect(text(changes)).toContain(expected)
})

test('a model that only a suspect endpoint answers is named as one in doubt', () => {
  const suspect = hopRow('lost/model', { health: 'suspect', cause: 'model_not_found' })
  expect(shown({ models: [modelRow('lost', [suspect])] }).slice(0, 5)).toEqual([
    'The model answers.',
    'In doubt: lost.',
    '',
    'lost  answers, but its last call failed (missing model)',
    '  →  1 lost/model  its last call failed (missing model)',
  ])
})

test('where there is little room, shares are left out before anything is wider than the terminal', () => {
  const rows = ROWS.map(row => ({ ...row, successes: 97, failures: 1234 }))
  const narrow = shown({ rows }, { width: 60 })
  expect(narrow.filter(line => line.length > 60)).toEqual([])
  expect(narrow.join('\n')).not.toContain('ok in 7 days')
  expect(shown({ rows }, { width: 100 }).join('\n')).toContain('ok in 7 days')
})

test('a normal mode is not worth a word', () => {
  expect(text()).not.toContain('normal')
})

describe('of many models', () => {
  const long = 'meta-llama/llama-3.3-70b-instruct-turbo-extended:free'
  const many = Array.from({ length: 100 }, (_, index): ModelView => {
    const hops = Array.from({ length: 6 }, (_, at) => hopRow(`p${at}/${long}-${index}`, { tier: at + 1 }))
    const first = { ...hopRow(`p0/${long}-${index}`, { ...cooling, endpoint: `p0/${long}-${index}` }) }
    return modelRow(`alias-${index}`, index % 10 === 0 ? [first, ...hops.slice(1)] : hops)
  })
  const rows = many.flatMap(({ chain }) =>
    chain.map(({ endpoint }) => endpointRow({ endpoint, id: endpoint })),
  )

  it('only what has something to tell is shown, in 80 columns', () => {
    const lines = shown({ models: many, rows })
    expect(lines[0]).toBe('All 100 models answer.')
    expect(lines.length).toBeLessThan(120)
    expect(lines.filter(line => [...line].length > 80)).toEqual([])
    expect(lines.join('\n')).toContain('alias-10  answers from tier 2 of 6')
    expect(lines.join('\n')).toContain('… and 4 more that are ready')
    expect(lines.join('\n')).toMatch(
      /… and 90 models that answer from the first endpoint \(--all shows\s+them\)/,
    )
    expect(lines.join('\n')).toContain('600 healthy endpoints (--all shows them)')
  })

  it('--all shows all of it', () => {
    const lines = shown({ models: many, rows }, { all: true })
    expect(lines.filter(line => line.startsWith('alias-'))).toHaveLength(100)
    expect(lines.join('\n')).not.toContain('--all')
  })

  it('only some of those that are down are named first', () => {
    const models = many.map((model): ModelView => ({
      ...model,
      answers: false,
      answered_by: null,
      tier: null,
    }))
    expect(shown({ models, rows }).slice(0, 12).join(' ')).toMatch(
      /^0 of 100 models answer\. .*and\s+92 more\./,
    )
  })
})

test('programs get what the gateway tells, and the overrides', () => {
  expect(statusJson(status({ overrides: { retry_max_attempts: 2 } }))).toMatchObject({
    mode: 'normal',
    models: [{ model: 'gpt-4o' }, {}, {}],
    data: [{ endpoint: 'fast/gpt-4o' }, {}, {}, {}, {}],
    overrides: { retry_max_attempts: 2 },
  })
})

test('counters and the clock are no news, a state is', () => {
  const failure = { kind: 'rate_limit', status: 429, message: 'slow down', at: NOW }
  const rows = [endpointRow({ successes: 9, failures: 1, last_failure: failure })]
  const later = [endpointRow({ last_failure: { ...failure, at: NOW + 1 } })]
  expect(newsOf(status({ rows }))).toBe(newsOf(status({ rows: later })))
  expect(newsOf(status({ rows }))).not.toBe(newsOf(status({ rows: [endpointRow({ health: 'suspect' })] })))
  expect(newsOf(status())).not.toBe(newsOf(status({ mode: 'degraded' })))
  expect(newsOf(status())).not.toBe(newsOf(status({ models: [modelRow('a', [answering])] })))
})
