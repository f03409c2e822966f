import { expect, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { atFaultOf } from '../../../lambdas/core/routing/at-fault.ts'
import type { AtFault } from '../../../lambdas/core/request-completed.ts'
import { ERROR_CODES, type ErrorCode } from '../../../lambdas/core/routing/error-codes.ts'

const PLAIN = { fallback: true, retryTokenBudget: null }
const cutBy = (kind: Failure['kind'], scope: Failure['scope']): Failure =>
  ({ kind, scope, class: 'retryable', tryNext: true }) as Failure

type Row = [string, Partial<Parameters<typeof atFaultOf>[0]> & { code: ErrorCode | null }, AtFault | null]
const ROWS: Row[] = [
  ['nothing, because it was answered', { code: null }, null],
  ['upstreams that fail', { code: 'upstream_failed' }, 'gateway'],
  ['rate limits of providers', { code: 'rate_limit_exceeded' }, 'gateway'],
  ['a model that is gone everywhere', { code: 'model_gone' }, 'gateway'],
  ['missing keys', { code: 'no_provider_key' }, 'gateway'],
  ['a content filter', { code: 'content_filter' }, 'client'],
  ['a prompt that is too long', { code: 'context_length_exceeded' }, 'client'],
  ['a tool round that may not be repeated', { code: 'tool_round_failed' }, 'client'],
  ['a limit of the client', { code: 'client_limit_reached' }, 'client'],
  ['fallbacks switched off', { code: 'all_quarantined', request: { ...PLAIN, fallback: false } }, 'client'],
  ['an endpoint that the client named', { code: 'upstream_timeout', isDirect: true }, 'client'],
  [
    'the retry budget of the client',
    { code: 'retry_budget_exhausted', request: { ...PLAIN, retryTokenBudget: 10 } },
    'client',
  ],
  ['the retry budget of the configuration', { code: 'retry_budget_exhausted' }, 'gateway'],
  ['a stream that breaks off', { code: 'stream_cut', cut: cutBy('network', 'endpoint') }, 'gateway'],
  [
    'a stream that breaks off without fallbacks, which had begun all the same',
    { code: 'stream_cut', cut: cutBy('network', 'endpoint'), request: { ...PLAIN, fallback: false } },
    'gateway',
  ],
  [
    'a filter in the middle of a stream',
    { code: 'stream_cut', cut: cutBy('content_filter', 'request') },
    'client',
  ],
  ['its own fault, whatever was asked for', { code: 'internal_error', isDirect: true }, 'gateway'],
]

test.each(ROWS)('%s', (_, ended, atFault) => {
  expect(atFaultOf({ cut: null, request: PLAIN, isDirect: false, ...ended })).toBe(atFault)
})

test('no code of a server error is the fault of a client that asked for nothing special, but for strict tool rounds', () => {
  const codes = Object.entries(ERROR_CODES).filter(
    ([, { status, atFault }]) => status >= 500 && atFault === 'client',
  )
  expect(codes.map(([code]) => code)).toEqual(['tool_round_failed', 'tool_round_timeout'])
})
