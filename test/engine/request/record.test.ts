import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import type { RequestCompleted } from '../../../lambdas/core/request-completed.ts'
import type { Outcome } from '../../../lambdas/engine/request/outcome.ts'
import { serveChat } from '../../../lambdas/engine/request/serve-chat.ts'
import { chatChunk, chatStream, errorAnswer, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { requestFor } from '../../core/build.ts'
import type { ChatRequest } from '../../../lambdas/core/chat-request.ts'
import { QUESTION, startRequestEngine, type RequestEngine } from './request-engine.ts'

const limited = errorAnswer(429, { message: 'Rate limit reached' })
const cutStream = { ...chatStream(['Hello'], { finish: null }), end: 'reset' as const }

/** Serves one request to its end, as the edge does, and returns its line. */
async function served(
  engine: RequestEngine,
  tiers: readonly (readonly (string | Endpoint)[])[],
  overrides: Partial<ChatRequest> = {},
  read: (outcome: Outcome) => Promise<void> = readAll,
): Promise<RequestCompleted> {
  const { client, startedAt, endsAt } = await engine.run(tiers, overrides)
  const request = requestFor({ body: QUESTION, ...overrides })
  const outcome = await serveChat({ client, startedAt, endsAt }, () => Promise.resolve(request), engine.tools)
  await read(outcome)
  const [line] = engine.lines
  return line?.event === 'request-completed' ? line : expect.fail('no line was written')
}

async function readAll(outcome: Outcome): Promise<void> {
  if (outcome.kind === 'streamed') for await (const _ of outcome.values) continue
  if ('close' in outcome) await outcome.close()
}

describe('the line of a request', () => {
  it('names who answered, and what it cost', async () => {
    await using engine = await startRequestEngine({ a: [limited], b: [chatStream(['Hello', ' you'])] })
    const line = await served(engine, [['a/m', 'b/m']])
    expect(line).toMatchObject({
      requestId: 'request',
      caller: 'somebody',
      outcome: 'answered',
      status: 200,
      code: null,
      servedBy: 'b/m',
      usage: { promptTokens: 5, completionTokens: 2 },
      finishReason: 'stop',
      attempts: [
        { endpoint: 'a/m', outcome: 'rate_limit', scope: 'model', message: 'Rate limit reached' },
        { endpoint: 'b/m', outcome: 'ok', message: null },
      ],
      // The prompt of the attempt that answered, because it was not the first.
      retryTokens: 5,
    })
    expect(engine.notes.at(-1)).toMatchObject({ kind: 'succeeded', endpoint: 'b/m' })
  })

  it('counts no deliberate wait as the gateway’s own time', async () => {
    await using engine = await startRequestEngine({
      a: [errorAnswer(503, { message: 'Busy' }), chatStream(['Hello'])],
    })
    const line = await served(engine, [['a/m']])
    expect(line.attempts.map(({ startedAfterMs }) => startedAfterMs)).toEqual([0, 700])
    expect(line).toMatchObject({ durationMs: 700, overheadMs: 0 })
  })

  it('says what a failed request was told', async () => {
    await using engine = await startRequestEngine({ a: [limited] })
    expect(await served(engine, [['a/m']])).toMatchObject({
      outcome: 'failed',
      status: 429,
      code: 'rate_limit_exceeded',
      servedBy: null,
      usage: null,
      firstTokenMs: null,
      retryTokens: 0,
    })
  })

  it('holds no words of an answer that could not be read, nor the prompt that an upstream repeats', async () => {
    const prompt = 'my very private question that nobody else may read'
    await using engine = await startRequestEngine({
      a: [{ body: { reply: 'a private answer' } }],
      b: [errorAnswer(400, { message: `Invalid value: ${prompt}` })],
    })
    const body = { messages: [{ role: 'user', content: prompt }] }
    const line = await served(engine, [['a/m', 'b/m']], { body })
    expect(line.attempts.map(({ outcome }) => outcome)).toEqual(['malformed_response', 'bad_request'])
    expect(JSON.stringify(line)).not.toMatch(/private/)
  })
})

describe('what the line adds up', () => {
  /** Three seconds to the first output, and one more to the end. */
  const slow = { ...chatStream(['Hello', ' you']), headersDelayMs: 3_000, endDelayMs: 1_000 }

  it('is the time to the first token, the time in all, and none of our own', async () => {
    await using engine = await startRequestEngine({ a: [slow] })
    const line = await served(engine, [['a/m']])
    expect(line).toMatchObject({ firstTokenMs: 3_000, overheadMs: 0, retryTokens: 0 })
    expect(line.attempts).toMatchObject([{ startedAfterMs: 0, durationMs: 3_000, structural: false }])
  })

  it('is our own time where we have used some', async () => {
    await using engine = await startRequestEngine({ a: [slow] })
    const { finishedHeader } = engine.tools.sessions
    engine.tools.sessions.finishedHeader = round => {
      engine.clock.pass(40)
      return finishedHeader(round)
    }
    const line = await served(engine, [['a/m']])
    expect(line).toMatchObject({ firstTokenMs: 3_040, overheadMs: 40 })
  })

  it('is the price of the answer, by its endpoint', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello', ' you'])] })
    const priced = engine.endpoint('a/m', { price: { input: 2, output: 10 } })
    // 5 tokens of prompt, 2 of answer.
    expect(await served(engine, [[priced]])).toMatchObject({ dollars: 0.00003 })
  })

  it('is no price where none is known', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello'])] })
    expect(await served(engine, [['a/m']])).toMatchObject({ dollars: null })
  })

  it('is the plan: who could be called, and who was skipped', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello'])] }, new Map([['a', ['k1']]]))
    const blind = engine.endpoint('b/m', { vision: false })
    const needs = { ...requestFor().needs, vision: true }
    const line = await served(engine, [['a/m'], [blind]], { needs })
    expect(line.plan).toEqual({
      candidates: [{ endpoint: 'a/m', id: 'a/m', tier: 1, suspect: false, keys: ['k1'] }],
      skipped: [{ endpoint: 'b/m', id: 'b/m', tier: 2, reason: 'no_vision', until: null, cause: null }],
    })
  })

  it('is no success where nothing answered', async () => {
    await using engine = await startRequestEngine({
      a: [errorAnswer(404, { message: 'The model `m` does not exist', code: 'model_not_found' })],
    })
    const line = await served(engine, [['a/m']])
    expect(line).toMatchObject({
      outcome: 'failed',
      attempts: [{ outcome: 'model_not_found', structural: true }],
    })
    expect(engine.notes).toEqual([{ kind: 'failed', endpoint: 'a/m', failure: 'model_not_found' }])
  })

  it('is a client that left, where it left before an answer', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: () => {
        engine.leave()
        return { fault: 'no-response' }
      },
    })
    expect(await served(engine, [['a/m']])).toMatchObject({ outcome: 'client-left', code: 'client_left' })
  })
})

describe('a stream that was cut', () => {
  it('names the attempt that served it, and leaves the ones before it as they were', async () => {
    await using engine = await startRequestEngine({ a: [limited], b: [cutStream] })
    const line = await served(engine, [['a/m', 'b/m']])
    expect(line).toMatchObject({ outcome: 'cut', status: 200, code: 'stream_cut', servedBy: 'b/m' })
    expect(line.attempts.map(({ endpoint, outcome, status }) => [endpoint, outcome, status])).toEqual([
      ['a/m', 'rate_limit', 429],
      ['b/m', 'network', 200],
    ])
    expect(engine.notes).toMatchObject([
      { kind: 'failed', endpoint: 'a/m', failure: 'rate_limit' },
      { kind: 'committed', endpoint: 'b/m' },
      { kind: 'failed', endpoint: 'b/m', failure: 'network' },
    ])
  })

  it('names the second try of an endpoint, not its first', async () => {
    await using engine = await startRequestEngine({ a: [errorAnswer(503, { message: 'Busy' }), cutStream] })
    const line = await served(engine, [['a/m']])
    expect(line.attempts.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['overloaded', 503],
      ['network', 200],
    ])
  })

  it('is no failure of its endpoint where the client has left', async () => {
    const answer = { ...chatStream(['Hello'], { finish: null }), end: 'silence' as const }
    await using engine = await startRequestEngine({ a: [answer] })
    const line = await served(engine, [['a/m']], {}, async outcome => {
      if (outcome.kind !== 'streamed') return expect.fail('nothing was streamed')
      for await (const value of outcome.values) {
        if (value.kind === 'part') engine.leave()
      }
      await outcome.close()
    })
    expect(line).toMatchObject({ outcome: 'client-left', code: null, servedBy: 'a/m' })
    expect(line.attempts).toMatchObject([{ outcome: 'ok' }])
    expect(engine.notes).toEqual([{ kind: 'committed', endpoint: 'a/m', key: null }])
  })

  it('counts what came of it', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
    const answer = {
      ...chatStream([], { finish: null }),
      chunks: [sseEvent({ ...chatChunk({ content: 'Hello' }), usage }), 'data: {nonsense\n\n'],
    }
    await using engine = await startRequestEngine({ a: [answer] })
    const line = await served(engine, [['a/m']])
    expect(line).toMatchObject({ outcome: 'cut', usage: { totalTokens: 8 } })
  })
})

describe('a whole answer', () => {
  it('is recorded when it was sent', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello'])] })
    const line = await served(engine, [['a/m']], { stream: false }, async outcome => {
      expect(engine.lines).toEqual([])
      if (outcome.kind !== 'whole') return expect.fail('the answer is not whole')
      expect(outcome.completion).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
      await outcome.close()
    })
    expect(line).toMatchObject({ outcome: 'answered', stream: false })
  })
})

it('a dry run calls no endpoint and writes no line', async () => {
  await using engine = await startRequestEngine({ a: [chatStream(['Hello'])] })
  const { client, startedAt, endsAt } = await engine.run([['a/m']])
  const request = requestFor({ body: QUESTION, dryRun: true })
  const outcome = await serveChat({ client, startedAt, endsAt }, () => Promise.resolve(request), engine.tools)
  expect(outcome).toMatchObject({ kind: 'planned', plan: { candidates: [{ endpoint: { name: 'a/m' } }] } })
  expect([engine.lines, engine.upstreams.get('a')?.calls()]).toEqual([[], 0])
})

it('says that the gateway itself failed at the answer, and blames no endpoint', async () => {
  await using engine = await startRequestEngine({ a: [chatStream(['Hello', ' you'])] })
  const request = requestFor({ body: QUESTION, stream: true })
  const { client, startedAt, endsAt } = await engine.run([['a/m']], { stream: true })
  const outcome = await serveChat({ client, startedAt, endsAt }, () => Promise.resolve(request), engine.tools)
  if (outcome.kind !== 'streamed') return expect.fail('no stream')
  for await (const _ of outcome.values) break
  const failure = outcome.failWriting(new SyntaxError('"Hello you" is not valid JSON'))
  expect(failure).toMatchObject({ scope: 'request', message: expect.stringContaining('failed') as string })
  await outcome.close()
  const [internal, line] = engine.lines
  expect(internal).toMatchObject({ event: 'internal-error', requestId: 'request' })
  expect(JSON.stringify(internal)).not.toContain('Hello')
  expect(line).toMatchObject({ outcome: 'cut', code: 'gateway_stopped' })
})
