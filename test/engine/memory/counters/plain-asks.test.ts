import { describe, expect, it } from 'vitest'
import { classify } from '../../../../lambdas/providers/classify.ts'
import type { EndpointId } from '../../../../lambdas/core/endpoint.ts'
import type { Failure } from '../../../../lambdas/core/failures/failure.ts'
import { createPlainAsks } from '../../../../lambdas/engine/memory/counters/plain-asks.ts'
import { endpointNamed } from '../../../core/build.ts'

const { id: HOST } = endpointNamed('up/m')
const observed = {
  provider: 'up',
  status: null,
  headers: {},
  body: null,
  networkError: null,
  inStream: false,
  now: 0,
}
const failure = (status: number, message: string): Failure =>
  classify({ ...observed, status, body: JSON.stringify({ error: { message } }) })
const network = (networkError: string): Failure => classify({ ...observed, networkError })
const LATE = network('BACKSTOP_FIRST_OUTPUT_TIMEOUT')

function known(): { asks: ReturnType<typeof createPlainAsks>; id: EndpointId; pass(ms: number): void } {
  let now = 1_700_000_000_000
  return { asks: createPlainAsks({ now: () => now }), id: HOST, pass: ms => void (now += ms) }
}

describe('createPlainAsks', () => {
  it.each([
    ['a refusal that gives no reason', failure(400, 'Bad request.')],
    ['a refusal that speaks of streams', failure(400, 'This model only supports stream mode.')],
    ['an error of the host', failure(500, 'Internal error.')],
    ['silence', LATE],
    ['a limit that streams may not have', failure(429, 'Too many requests.')],
    ['a broken connection', network('ECONNRESET')],
  ])('asks for a stream after %s, and does not ask plainly for a quarter of an hour', (_, failed) => {
    const { asks, id, pass } = known()
    expect(asks.mayAsk(id)).toBe(true)
    expect(asks.failed(id, failed)).toBe(true)
    pass(14 * 60_000)
    expect(asks.mayAsk(id)).toBe(false)
    pass(60_000)
    expect(asks.mayAsk(id)).toBe(true)
  })

  it.each([
    ['a connection that nobody takes', network('ECONNREFUSED')],
    [
      'a limit with its wait',
      classify({ ...observed, status: 429, headers: { 'retry-after': '20' }, body: '{}' }),
    ],
    ['an empty account', failure(402, 'Insufficient balance.')],
    ['a refused key', failure(401, 'Invalid API key.')],
    ['a model that is gone', failure(404, 'The model `m` does not exist.')],
    ['a prompt that is too long', failure(400, "This model's maximum context length is 8192 tokens.")],
    ['a client that has left', network('ABORT_ERR')],
    ['the end of the gateway', network('BACKSTOP_SHUTDOWN')],
  ])('lets %s stand as it is', (_, failed) => {
    const { asks, id } = known()
    expect(asks.failed(id, failed)).toBe(false)
    expect(asks.mayAsk(id)).toBe(true)
  })

  it('takes a refused request for a wrong one where the endpoint has answered plain ones, but for words about streams', () => {
    const { asks, id } = known()
    asks.answered(id)
    expect(asks.failed(id, failure(400, 'Bad request.'))).toBe(false)
    expect(asks.failed(id, failure(400, 'Stream must be set to true'))).toBe(true)
  })
})
