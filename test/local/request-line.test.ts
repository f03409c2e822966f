import { expect, test } from 'vitest'
import { formatRequestLine } from '../../infra/local/request-line.ts'
import { plain } from '../../infra/terminal/paint.ts'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import { completedRequest } from './completed-request.ts'

const AT = new Date(2026, 10, 29, 12, 0, 1)
const HOPS = 'openai/gpt-4o rate_limit 429 12 ms > groq/llama-3.1-8b-instant ok 200 140 ms'

test.each<[string, Partial<RequestCompleted>, string]>([
  ['an answer', {}, `12:00:01 gpt-4o  ${HOPS}  request-1`],
  ['what it cost', { dollars: 0.00042 }, `12:00:01 gpt-4o  ${HOPS}  $0.00042  request-1`],
  [
    'what was paid in vain',
    { outcome: 'cut', lostDollars: 0.0001 },
    `12:00:01 gpt-4o  ${HOPS}  cut  $0.0001  request-1`,
  ],
  ['a free answer', { dollars: 0, lostDollars: 0 }, `12:00:01 gpt-4o  ${HOPS}  $0  request-1`],
  ['a cut stream', { outcome: 'cut' }, `12:00:01 gpt-4o  ${HOPS}  cut  request-1`],
  ['a client that left', { outcome: 'client-left' }, `12:00:01 gpt-4o  ${HOPS}  client left  request-1`],
  [
    'a failure before anyone was asked',
    { outcome: 'failed', status: 503, code: 'no_provider_key', attempts: [] },
    '12:00:01 gpt-4o  no endpoint was called  = 503 no_provider_key  request-1',
  ],
  [
    'an alias with escape sequences',
    { alias: '\u001B[31mred', requestId: 'a\u0007b' },
    `12:00:01 [31mred  ${HOPS}  ab`,
  ],
])('%s is one line', (_title, changes, expected) => {
  expect(formatRequestLine(completedRequest(changes), AT, plain)).toBe(expected)
})

test('an attempt that got no response shows no status', () => {
  const [attempt] = completedRequest().attempts
  const attempts = attempt ? [{ ...attempt, outcome: 'network', status: null }] : []
  const line = formatRequestLine(completedRequest({ attempts }), AT, plain)
  expect(line).toContain('openai/gpt-4o network 12 ms')
})
