import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { says, STREAMED, type Beginning, type Scenario, type TableItem } from '../scenario.ts'

const healthy = chatStream(['all ', 'well'])
const failing = says(500, 'The server had an error while processing your request')
const gone = says(404, "The model 'm' does not exist", {
  type: 'invalid_request_error',
  code: 'model_not_found',
})

const HOUR = 3_600_000
const inSeconds = (at: number): number => Math.ceil(at / 1_000)

const illness = (endpoint: string, state: 'suspect' | 'quarantined', { at, idOf }: Beginning): TableItem => ({
  sk: `endpoint#${idOf(endpoint)}`,
  h: state === 'suspect' ? 's' : 'q',
  s: at(-120_000),
  d: at(90_000),
  f: 1,
  k: 'model_not_found',
})

/** A guess that was made so many seconds ago and bars for so many from now. */
const barring = (
  scope: string,
  kind: string,
  seconds: number,
  { at }: Beginning,
  secondsAgo = 0,
): TableItem => ({
  sk: `breaker#${scope}`,
  expiresAt: inSeconds(at(2 * HOUR)),
  g: at(seconds * 1_000),
  gk: kind,
  gn: 0,
  go: (seconds + secondsAgo) * 1_000,
  gs: (seconds + secondsAgo) * 1_000,
})

const stated = (scope: string, kind: string, seconds: number, { at }: Beginning): TableItem => ({
  sk: `breaker#${scope}`,
  expiresAt: inSeconds(at(2 * HOUR)),
  w: at(seconds * 1_000),
  wk: kind,
  wa: seconds * 1_000,
})

const opened = (provider: string, secondsAgo: number, start: Beginning): TableItem => ({
  ...barring(`provider#${provider}`, 'server_error', 60 - secondsAgo, start, secondsAgo),
  m: start.at(200_000),
})

const DRY = { headers: { 'x-backstop-dry-run': '1' } }
const two = { a: [healthy], b: [healthy] }

/** What the table holds decides who is called, and what happens decides what the table holds. */
export const MEMORY: readonly Scenario[] = [
  {
    name: 'a quarantined endpoint is skipped',
    upstreams: two,
    items: start => [illness('a/m', 'quarantined', start)],
    steps: [STREAMED, DRY],
  },
  {
    name: 'a suspect comes last, and is cleared by a success',
    upstreams: { a: [healthy], b: [failing] },
    items: start => [illness('a/m', 'suspect', start)],
    steps: [DRY, STREAMED],
  },
  {
    name: 'cooldowns of each scope are skipped',
    upstreams: { a: [healthy], b: [healthy], c: [healthy], d: [healthy] },
    items: start => [
      barring(`limit#model#${start.idOf('a/m')}`, 'overloaded', 60, start),
      stated('limit#provider#b', 'rate_limit', 600, start),
      barring(`endpoint#${start.idOf('c/m')}`, 'server_error', 120, start),
    ],
    steps: [STREAMED, DRY],
  },
  {
    name: 'an open breaker is skipped',
    upstreams: two,
    items: start => [opened('a', 20, start)],
    steps: [STREAMED, DRY],
  },
  {
    name: 'a trial that succeeds closes the breaker',
    upstreams: two,
    items: start => [opened('a', 90, start)],
    steps: [STREAMED, {}],
  },
  {
    name: 'a trial that fails opens it again',
    upstreams: { a: [failing], b: [healthy] },
    items: start => [opened('a', 90, start)],
    steps: [STREAMED, {}],
  },
  {
    name: 'what was refused is remembered',
    upstreams: two,
    items: start => [
      {
        sk: `capability#${start.idOf('a/m')}`,
        kind: 'capability',
        expiresAt: inSeconds(start.at(2 * HOUR)),
        refusals: [
          { what: 'tools', until: start.at(HOUR) },
          { what: 'context', window: 50, until: start.at(HOUR) },
        ],
      },
    ],
    steps: [
      { chat: { tools: [{ type: 'function', function: { name: 'look', parameters: {} } }] } },
      { chat: { messages: [{ role: 'user', content: 'word '.repeat(400) }] } },
      STREAMED,
    ],
  },
  {
    name: 'all are quarantined, and one is well again',
    upstreams: two,
    items: start => [illness('a/m', 'quarantined', start), illness('b/m', 'quarantined', start)],
    steps: [{}, STREAMED],
  },
  {
    name: 'all are quarantined',
    upstreams: { a: [gone], b: [gone] },
    items: start => [illness('a/m', 'quarantined', start), illness('b/m', 'quarantined', start)],
    steps: [{}, STREAMED],
  },
  {
    name: 'only guesses bar',
    upstreams: two,
    items: start => [
      opened('a', 20, start),
      barring(`endpoint#${start.idOf('b/m')}`, 'server_error', 120, start, 20),
    ],
    steps: [STREAMED, DRY],
  },
  {
    name: 'all are limited',
    upstreams: two,
    items: start => [
      stated(`limit#model#${start.idOf('a/m')}`, 'rate_limit', 60, start),
      stated(`limit#model#${start.idOf('b/m')}`, 'quota_exhausted', 600, start),
    ],
    steps: [{}, STREAMED],
  },
  {
    name: 'all are away, each for another reason',
    upstreams: { a: [healthy], b: [healthy], c: [healthy] },
    items: start => [
      illness('a/m', 'quarantined', start),
      opened('b', 20, start),
      barring(`endpoint#${start.idOf('c/m')}`, 'server_error', 120, start),
    ],
    steps: [{}, DRY, { method: 'GET', path: '/v1/endpoints' }],
  },
  {
    name: 'a degraded fleet',
    upstreams: two,
    items: ({ at }) => [
      { sk: 'mode', kind: 'mode', mode: { state: 'degraded', since: at(-HOUR), enoughSince: null } },
    ],
    steps: [STREAMED, { chat: { messages: [] } }],
  },
  {
    name: 'overrides of an operator',
    upstreams: { a: [failing], b: [healthy] },
    items: () => [
      {
        sk: 'settings',
        kind: 'settings',
        overrides: { retry_max_attempts: 1, direct_models: true, no_such_setting: 1, retry_base_ms: -5 },
      },
    ],
    steps: [{}, { chat: { model: 'b/other' } }],
  },
  {
    name: 'endpoint health is switched off',
    upstreams: { a: [gone], b: [healthy] },
    settings: { endpoint_health_disabled: true },
    items: start => [illness('a/m', 'quarantined', start)],
  },
  {
    name: 'the table is away',
    upstreams: { a: [failing], b: [healthy] },
    table: 'refuse',
    steps: [STREAMED, {}],
  },
  { name: 'the table holds garbage', upstreams: two, items: () => [{ sk: 'endpoint#a', kind: 'nonsense' }] },
  {
    name: 'a model that is gone is quarantined',
    upstreams: { a: [gone], b: [healthy] },
    steps: [{}, {}, {}, {}, DRY],
  },
  {
    name: 'an endpoint that keeps failing is benched, and its provider barred',
    upstreams: { a: [failing], b: [healthy] },
    steps: [{}, {}, {}, {}, DRY],
  },
  {
    name: 'a provider that fails with every model is barred',
    upstreams: { a: [failing], b: [healthy] },
    tiers: [['a/one'], ['a/two'], ['a/three'], ['b/m']],
    steps: [{}, {}, {}, DRY],
  },
  {
    name: 'a success between failures',
    upstreams: { a: [gone, healthy, gone, gone], b: [healthy] },
    steps: [{}, {}, {}, {}, DRY],
  },
  {
    name: 'a probe that succeeds readmits',
    upstreams: two,
    items: start => [illness('a/m', 'quarantined', start)],
    steps: ['probe', DRY, STREAMED],
  },
  {
    name: 'a probe that fails waits longer',
    upstreams: { a: [gone], b: [healthy] },
    items: start => [illness('a/m', 'suspect', start)],
    steps: ['probe', DRY],
  },
]
