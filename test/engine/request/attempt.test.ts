import { describe, expect, it, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import type { AttemptLimits } from '../../../lambdas/core/routing/budget.ts'
import { attempt, type AttemptCall, type AttemptResult } from '../../../lambdas/engine/request/attempt.ts'
import { chatCompletions } from '../../../lambdas/wires/chat-completions.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import {
  chatChunk,
  chatCompletion,
  chatStream,
  errorAnswer,
  sseEvent,
} from '../../support/upstreams/chat-bodies.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { QUESTION, startRequestEngine, type RequestEngine } from './request-engine.ts'

const LIMITS: AttemptLimits = {
  connectMs: 3_000,
  firstOutputMs: 10_000,
  silenceMs: null,
  idleMs: 25_000,
  answerTotalMs: 120_000,
  streamTotalMs: 600_000,
}

const engineOver = (script: UpstreamScript): Promise<RequestEngine> => startRequestEngine({ a: script })

const call = (engine: RequestEngine, overrides: Partial<AttemptCall> = {}): Promise<AttemptResult> =>
  attempt(
    {
      endpoint: engine.endpoint('a/m'),
      wire: chatCompletions,
      secret: null,
      body: QUESTION,
      hold: false,
      limits: LIMITS,
      client: new AbortController().signal,
      ...overrides,
    },
    engine.tools,
  )

const failureOf = (result: AttemptResult): Failure => {
  if (result.kind === 'failed') return result.failure
  return expect.fail('the attempt committed')
}

/** A stream of these events, and silence or a cut behind them. */
const events = (chunks: readonly string[], end: HttpAnswer['end'] = 'silence'): HttpAnswer => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks,
  end,
})
const role = sseEvent(chatChunk({ role: 'assistant', content: '' }))
const word = sseEvent(chatChunk({ content: 'Hello' }))

describe('an attempt commits', () => {
  it('at its first output, with all that came before it and the headers of the response', async () => {
    const answer = { ...events([': ping\n\n', role, word]), headers: { 'x-ratelimit-limit-tokens': '9' } }
    await using engine = await engineOver([answer])
    const result = await call(engine)
    expect(result.kind).toBe('committed')
    if (result.kind !== 'committed') return
    expect(result.answer.parts().map(({ json }) => json)).toEqual([
      chatChunk({ role: 'assistant', content: '' }),
      chatChunk({ content: 'Hello' }),
    ])
    expect(result.answer.headers).toMatchObject({ 'x-ratelimit-limit-tokens': '9' })
    await result.answer.close()
  })

  it('at its end where the answer is held', async () => {
    await using engine = await engineOver([chatStream(['Hello', ' you'])])
    const result = await call(engine, { hold: true })
    expect(result).toMatchObject({ kind: 'committed', answer: { reader: { progress: { done: true } } } })
    if (result.kind === 'committed') await result.answer.close()
  })

  it('with a whole answer, although a stream was asked for', async () => {
    await using engine = await engineOver([chatCompletion('Hello')])
    const result = await call(engine)
    expect(result.kind === 'committed' && result.answer.reader.completion()).toMatchObject({
      object: 'chat.completion',
    })
    if (result.kind === 'committed') await result.answer.close()
  })
})

describe('an attempt fails', () => {
  test.each([
    ['headers that never come', { fault: 'no-response' }, null],
    ['an answer without output', events([role]), 200],
    ['comments alone', events([': ping\n\n', ': ping\n\n']), 200],
  ] as const)('after ten seconds of %s', async (_, answer, status) => {
    await using engine = await engineOver([answer])
    const startedAt = engine.clock.now()
    const result = call(engine)
    // Nobody sleeps: the time passes once the answer, as far as it comes, is there.
    const over = new AbortController()
    void result.then(() => over.abort())
    await engine.clock.sleep(60_000, over.signal)
    expect(failureOf(await result)).toMatchObject({ kind: 'timeout', status })
    expect(engine.clock.now() - startedAt).toBe(LIMITS.firstOutputMs)
  })

  it('after the silence that is allowed between two events, where the answer is held', async () => {
    await using engine = await engineOver([events([role, word])])
    const startedAt = engine.clock.now()
    const result = call(engine, { hold: true })
    const over = new AbortController()
    void result.then(() => over.abort())
    await engine.clock.sleep(60_000, over.signal)
    const failed = await result
    expect(failureOf(failed)).toMatchObject({ kind: 'timeout' })
    expect(failed).toMatchObject({ outputStarted: true, received: { usage: null } })
    expect(failed.kind === 'failed' && failed.received.outputTokens).toBeGreaterThan(0)
    expect(engine.clock.now() - startedAt).toBe(LIMITS.idleMs)
  })

  test.each([
    ['an end without a finish', events([role, word], 'clean'), true, 'malformed_response'],
    ['a cut', events([role, word], 'reset'), true, 'network'],
    ['an end without output', events([role], 'clean'), false, 'malformed_response'],
    [
      'an error in band',
      events([role, sseEvent({ error: { message: 'Overloaded' } })], 'clean'),
      false,
      'overloaded',
    ],
    [
      'a page of HTML',
      { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' },
      false,
      'malformed_response',
    ],
  ] as const)('at %s', async (_, answer, outputStarted, kind) => {
    await using engine = await engineOver([answer])
    const result = await call(engine, { hold: true })
    expect(result).toMatchObject({ kind: 'failed', outputStarted })
    expect(failureOf(result).kind).toBe(kind)
  })

  it('with the headers and the words of a refusal', async () => {
    await using engine = await engineOver([
      errorAnswer(429, { message: 'Rate limit reached' }, { 'retry-after': '7' }),
    ])
    const result = await call(engine)
    expect(result).toMatchObject({ kind: 'failed', headers: { 'retry-after': '7' } })
    expect(failureOf(result)).toMatchObject({ kind: 'rate_limit', status: 429, retryAfterMs: 7_000 })
  })

  it('without blaming anybody where the client has left', async () => {
    const client = new AbortController()
    await using engine = await engineOver(() => {
      client.abort()
      return { fault: 'no-response' }
    })
    expect(failureOf(await call(engine, { client: client.signal }))).toMatchObject({ code: 'ABORT_ERR' })
  })
})

describe('a call upstream', () => {
  it('goes to the path of its wire, with the key and the fitted body', async () => {
    await using engine = await engineOver([chatStream(['Hello'])])
    const headers = { 'x-backstop-completed-tool-calls': 'call_1' }
    const result = await call(engine, { secret: 'sk-1', headers })
    if (result.kind === 'committed') await result.answer.close()
    expect(engine.upstreams.get('a')?.requests).toMatchObject([
      {
        headers: { authorization: 'Bearer sk-1', ...headers },
        body: { model: 'm', stream: true, stream_options: { include_usage: true } },
      },
    ])
  })

  it('reaches a host once where it must, on a connection of its own', async () => {
    await using engine = await engineOver([chatStream(['Hello'])])
    for (let calls = 0; calls < 2; calls += 1) {
      const result = await call(engine, { hold: true, sentOnce: true })
      if (result.kind === 'committed') await result.answer.close()
    }
    expect(engine.upstreams.get('a')?.requests.map(({ reusedSocket }) => reusedSocket)).toEqual([
      false,
      false,
    ])
  })

  it('leaves its connection to the next one', async () => {
    await using engine = await engineOver([chatStream(['Hello'])])
    for (let calls = 0; calls < 2; calls += 1) {
      const result = await call(engine, { hold: true })
      if (result.kind === 'committed') await result.answer.close()
    }
    expect(engine.upstreams.get('a')?.requests.map(({ reusedSocket }) => reusedSocket)).toEqual([false, true])
  })
})
