import { describe, expect, it, test } from 'vitest'
import { METRICS, METRIC_NAMESPACE, type MetricDimension } from '../../lambdas/contract.ts'
import { createMetricLog } from '../../lambdas/platform/metric-log.ts'
import type { LogEvent } from '../../lambdas/core/log-event.ts'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import { completedRequest } from '../local/completed-request.ts'
import { countedIn, writtenFor } from './written-lines.ts'

const [FAILED, SERVED] = completedRequest().attempts
if (!FAILED || !SERVED) throw new Error('the sample has two attempts')

const countedFor = (changes: Partial<RequestCompleted> = {}): string[] =>
  countedIn(writtenFor([completedRequest(changes)]))

const NOTHING_ANSWERED = {
  outcome: 'failed',
  status: 503,
  atFault: 'gateway',
  servedBy: null,
  usage: null,
  firstTokenMs: null,
} as const

describe('a request that fell back once', () => {
  it('is one line with its metrics, and one for the provider that failed', () => {
    const [request, failure, ...more] = writtenFor([completedRequest()])
    expect(more).toEqual([])
    expect(request).toMatchObject({ ...completedRequest(), fallback_chain: expect.any(String) })
    expect(failure).toMatchObject({
      event: 'attempts-failed',
      requestId: 'request-1',
      endpoint: 'openai/gpt-4o',
    })
  })

  it('counts under the sets of the table', () => {
    const chain = 'gpt-4o: openai/gpt-4o > groq/llama-3.1-8b-instant'
    expect(countedFor().toSorted()).toEqual(
      [
        'Requests{} 1 Count',
        'Requests{model=gpt-4o} 1 Count',
        'TimeToFirstToken{} 95 Milliseconds',
        'TimeToFirstToken{model=gpt-4o} 95 Milliseconds',
        'Latency{} 156 Milliseconds',
        'GatewayOverhead{} 4 Milliseconds',
        'RetryTokens{} 12 Count',
        'InputTokens{} 12 Count',
        'OutputTokens{} 30 Count',
        'Fallbacks{model=gpt-4o} 1 Count',
        `Fallbacks{fallback_chain=${chain}} 1 Count`,
        'Attempts{provider=groq} 1 Count',
        'Attempts{provider=openai} 1 Count',
        'AttemptFailures{provider=openai} 1 Count',
        'AttemptFailures{provider=openai, kind=rate_limit} 1 Count',
      ].toSorted(),
    )
  })
})

type Change = [string, Partial<RequestCompleted>, { has?: string[]; lacks?: string[] }]
const CHANGES: Change[] = [
  [
    'answered at once: one line, nothing about fallbacks',
    { attempts: [SERVED] },
    { has: ['Attempts{provider=groq} 1 Count'], lacks: ['Fallbacks', 'AttemptFailures', 'AliasOut'] },
  ],
  [
    'not streamed: no first token',
    { stream: false },
    { has: ['Latency{} 156 Milliseconds'], lacks: ['TimeToFirstToken'] },
  ],
  [
    'cut: no success, and a failure of who served it',
    { outcome: 'cut', atFault: 'gateway', attempts: [FAILED, { ...SERVED, outcome: 'network' }] },
    {
      has: [
        'StreamsCut{} 1 Count',
        'Failures{} 1 Count',
        'AttemptFailures{provider=groq, kind=network} 1 Count',
        'Fallbacks{fallback_chain=gpt-4o: openai/gpt-4o > groq/llama-3.1-8b-instant} 1 Count',
      ],
      lacks: ['Latency', 'AliasOut'],
    },
  ],
  [
    'unanswered: its alias is out',
    { ...NOTHING_ANSWERED, attempts: [FAILED, { ...SERVED, outcome: 'timeout' }] },
    {
      has: [
        'AliasOut{model=gpt-4o} 1 Count',
        'Failures{} 1 Count',
        'Fallbacks{fallback_chain=gpt-4o: openai/gpt-4o > none} 1 Count',
      ],
      lacks: ['Latency', 'InputTokens'],
    },
  ],
  [
    'unanswered because every endpoint was over its limit: out as well',
    { ...NOTHING_ANSWERED, status: 429 },
    { has: ['AliasOut{model=gpt-4o} 1 Count'] },
  ],
  [
    'at fault itself, or its client: no alias is out, and it is no request of its model',
    { ...NOTHING_ANSWERED, status: 503, atFault: 'client', attempts: [FAILED] },
    {
      has: ['Requests{} 1 Count'],
      lacks: ['AliasOut', 'Failures{}', 'Latency', 'Fallbacks', 'Requests{model'],
    },
  ],
  [
    'cut by what stood in it: nobody failed',
    { outcome: 'cut', atFault: 'client', attempts: [{ ...SERVED, outcome: 'content_filter' }] },
    { has: ['Requests{model=gpt-4o} 1 Count'], lacks: ['StreamsCut', 'Failures{}'] },
  ],
  [
    'for a name that the default answers: counted under the default, and no name of the client’s',
    { alias: 'invented', chain: 'gpt-4o' },
    {
      has: [
        'Requests{model=gpt-4o} 1 Count',
        'Fallbacks{fallback_chain=gpt-4o: openai/gpt-4o > groq/llama-3.1-8b-instant} 1 Count',
      ],
      lacks: ['invented'],
    },
  ],
  [
    'left by its client: nobody failed',
    {
      ...NOTHING_ANSWERED,
      outcome: 'client-left',
      status: 499,
      attempts: [{ ...SERVED, outcome: 'client_left' }],
    },
    { has: ['Attempts{provider=groq} 1 Count'], lacks: ['AliasOut', 'AttemptFailures', 'Latency'] },
  ],
  [
    'refused for two keys of a provider: counted once a provider and kind',
    { attempts: [{ ...FAILED, outcome: 'auth' }, { ...FAILED, outcome: 'auth' }, SERVED] },
    {
      has: ['Attempts{provider=openai} 2 Count', 'AttemptFailures{provider=openai, kind=auth} 2 Count'],
      lacks: ['KeyRefused'],
    },
  ],
  ['with broken events', { malformedEvents: 3 }, { has: ['MalformedEvents{} 3 Count'] }],
  [
    'for a model that no alias stands for: no value that a client invents',
    { alias: 'groq/invented' },
    { has: ['Requests{model=(direct)} 1 Count'], lacks: ['model=groq'] },
  ],
]

test.each(CHANGES)('a request that was %s', (_, changes, { has = [], lacks = [] }) => {
  const counted = countedFor(changes)
  expect(counted).toEqual(expect.arrayContaining(has))
  for (const text of lacks) expect(counted.filter(name => name.includes(text))).toEqual([])
})

const provider = 'groq'
const refused = { requestId: 'r', param: null }
const endpoint = { endpoint: 'groq/m', id: 'groq/m', provider }
const LINES: [LogEvent, string[]][] = [
  [{ event: 'request-rejected', ...refused, code: 'invalid_json' }, ['Rejected{} 1 Count']],
  [{ event: 'request-rejected', ...refused, code: 'invalid_api_key', count: 40 }, []],
  [
    { event: 'health-transition', ...endpoint, from: 'healthy', to: 'suspect', because: 'evidence' },
    ['HealthTransitions{provider=groq} 1 Count'],
  ],
  [
    { event: 'breaker-transition', provider, from: 'closed', to: 'open', because: 'failed' },
    ['BreakerTransitions{provider=groq} 1 Count'],
  ],
  [
    { event: 'probe', ...endpoint, outcome: 'ok', message: null, tokens: 9, durationMs: 5 },
    ['Probes{provider=groq} 1 Count', 'ProbeTokens{provider=groq} 9 Count'],
  ],
  [{ event: 'key-refused', provider, keys: 2 }, ['KeyRefused{} 2 Count']],
  [{ event: 'network-suspect', evidence: 2 }, ['NetworkSuspect{} 2 Count']],
  [{ event: 'state-error', error: 'timed out' }, ['StateErrors{} 1 Count']],
  [{ event: 'degraded', usable: 1, providers: 3 }, ['Degraded{} 1 Count']],
  [{ event: 'mode-transition', from: 'normal', to: 'degraded', usable: 1, providers: 3 }, []],
  [
    { event: 'mode-transition', from: 'degraded', to: 'normal', usable: 2, providers: 3 },
    ['Degraded{} 0 Count'],
  ],
  [{ event: 'cooldown', scope: 'key#1', kind: 'rate_limit', until: 1 }, []],
  [{ event: 'state-garbage', count: 1 }, []],
  [{ event: 'internal-error', requestId: 'a', error: 'Error: at line 3' }, ['Failures{} 1 Count']],
  [{ event: 'internal-error', requestId: 'a', error: 'Error: at line 3', begun: true }, []],
  [
    { event: 'request-rejected', ...refused, code: 'keys_unavailable' },
    ['Failures{} 1 Count', 'Rejected{} 1 Count'],
  ],
]

test.each(LINES)('the line %o counts as %o', (line, counted) => {
  const written = writtenFor([line])
  expect(written).toHaveLength(1)
  expect(written[0]).toMatchObject(line)
  expect(countedIn(written)).toEqual(counted)
})

describe('everything that is written', () => {
  const lines = [...CHANGES.map(([, changes]) => completedRequest(changes)), ...LINES.map(([line]) => line)]
  const written = writtenFor(lines)
  const directives = written.flatMap(line => line._aws?.CloudWatchMetrics ?? [])

  it('uses every metric and set of the table, and no others', () => {
    const used = directives.flatMap(({ Metrics, Dimensions }) =>
      Metrics.flatMap(({ Name, Unit }) => Dimensions.map(set => `${Name} ${Unit} ${set.join()}`)),
    )
    const listed = Object.entries(METRICS).flatMap(([name, { unit, dimensions }]) =>
      dimensions.map((set: readonly MetricDimension[]) => `${name} ${unit} ${set.join()}`),
    )
    expect([...new Set(used)].toSorted()).toEqual(listed.toSorted())
  })

  it('writes into the namespace of its stage', () => {
    const text: string[] = []
    const write = (line: string): void => void text.push(line)
    createMetricLog({
      chains: new Map(),
      mostSets: () => 300,
      now: () => 0,
      write,
      namespace: 'Backstop/dev',
    })({
      event: 'degraded',
      usable: 1,
      providers: 3,
    })
    expect(text.join('')).toContain('"Namespace":"Backstop/dev"')
  })

  it('keeps to the limits of the format', () => {
    for (const { Namespace, Dimensions, Metrics } of directives) {
      expect(Namespace).toBe(METRIC_NAMESPACE)
      expect(Metrics.length).toBeLessThanOrEqual(100)
      for (const set of Dimensions) expect(set.length).toBeLessThanOrEqual(30)
    }
  })

  it('holds a number for every metric and printable ASCII for every dimension', () => {
    for (const line of written) {
      for (const { Dimensions, Metrics } of line._aws?.CloudWatchMetrics ?? []) {
        for (const { Name } of Metrics) expect(line[Name]).toEqual(expect.any(Number))
        for (const name of Dimensions.flat()) expect(line[name]).toMatch(/^[\x20-\x7e]{1,250}$/)
      }
    }
  })
})
