import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { describe, expect, it } from 'vitest'
import type { AnswerEnd } from '../../../lambdas/engine/request/record.ts'
import { relay, type RelayValue } from '../../../lambdas/engine/request/relay.ts'
import type { CommittedAnswer } from '../../../lambdas/engine/request/answer/committed-answer.ts'
import { attempt } from '../../../lambdas/engine/request/attempt.ts'
import { chatCompletions } from '../../../lambdas/wires/chat-completions.ts'
import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { QUESTION, startRequestEngine, type RequestEngine } from './request-engine.ts'

const LIMITS = {
  connectMs: 3_000,
  firstOutputMs: 10_000,
  silenceMs: null,
  idleMs: 25_000,
  answerTotalMs: 120_000,
  streamTotalMs: 60_000,
}

async function committed(engine: RequestEngine): Promise<CommittedAnswer> {
  const result = await attempt(
    {
      endpoint: engine.endpoint('a/m'),
      wire: chatCompletions,
      secret: null,
      body: QUESTION,
      hold: false,
      limits: LIMITS,
      client: new AbortController().signal,
    },
    engine.tools,
  )
  return result.kind === 'committed' ? result.answer : expect.fail('the attempt failed')
}

/** Everything that was relayed, how it ended, and whether the end was told before the last value. */
async function relayed(engine: RequestEngine, answer: CommittedAnswer) {
  const values: RelayValue[] = []
  const ends: AnswerEnd[] = []
  const over = new AbortController()
  const reading = (async () => {
    for await (const value of relay(answer, engine.clock, end => ends.push(end))) {
      if (value.kind !== 'part') expect(ends).toHaveLength(1)
      values.push(value)
    }
    over.abort()
  })()
  await engine.clock.sleep(600_000, over.signal)
  await reading
  await answer.close()
  const texts = values.flatMap(value =>
    value.kind === 'part' ? value.parts.map(({ json }) => JSON.stringify(json.choices)) : [],
  )
  return { values, ends, texts, last: values.at(-1) }
}

const word = (content: string) => sseEvent(chatChunk({ content }))
const events = (chunks: readonly string[], rest: Partial<HttpAnswer> = {}): HttpAnswer => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks,
  ...rest,
})

describe('an answer that is complete', () => {
  it('is its parts, in order, and one end', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello', ' you'])] })
    const { ends, texts, last } = await relayed(engine, await committed(engine))
    expect(last).toEqual({ kind: 'end' })
    expect(ends).toEqual([{ kind: 'complete' }])
    expect(texts.join('')).toMatch(/Hello.* you.*stop/)
  })

  it('passes a part on as it came, with its text, where nothing in it breaks clients', async () => {
    const data =
      '{"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"seed":12345678901234567890}]}'
    await using engine = await startRequestEngine({
      a: [events([`data: ${data}\n\n`, sseEvent(chatChunk({}, 'stop')), 'data: [DONE]\n\n'])],
    })
    const { values } = await relayed(engine, await committed(engine))
    expect(values[0]).toMatchObject({ kind: 'part', parts: [{ text: data }] })
  })

  it('has its usage, whoever asked for it', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello'])] })
    const { values } = await relayed(engine, await committed(engine))
    const parts = values.flatMap(value => (value.kind === 'part' ? value.parts : []))
    expect(parts.map(({ json }) => json.usage).filter(Boolean)).toEqual([
      { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
    ])
  })

  it('gives each tool call the index of its call', async () => {
    const callPart = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
    const answer = events([
      sseEvent(chatChunk({ tool_calls: [callPart('one')] })),
      sseEvent(chatChunk({ tool_calls: [callPart('two')] })),
      sseEvent(chatChunk({}, 'stop')),
      'data: [DONE]\n\n',
    ])
    await using engine = await startRequestEngine({ a: [answer] })
    const { texts } = await relayed(engine, await committed(engine))
    expect(texts.join('')).toMatch(/"one".*"index":0.*"two".*"index":1.*tool_calls/)
  })
})

describe('an answer that breaks off', () => {
  const rows: [string, HttpAnswer, string, number | null][] = [
    ['is cut', events([word('Hello')], { end: 'reset' }), 'network', null],
    ['ends without a finish', events([word('Hello')]), 'malformed_response', 0],
    ['falls silent', events([word('Hello')], { end: 'silence' }), 'timeout', LIMITS.idleMs],
    [
      'never ends',
      events(
        Array.from({ length: 10 }, () => word('on')),
        { gapMs: 20_000 },
      ),
      'timeout',
      LIMITS.streamTotalMs,
    ],
    [
      'holds an error',
      events([word('Hello'), sseEvent({ error: { message: 'Overloaded', type: 'overloaded_error' } })]),
      'overloaded',
      0,
    ],
  ]
  it.each(rows)('that %s is one cut and no end', async (_, script, kind, afterMs) => {
    await using engine = await startRequestEngine({ a: [script] })
    const startedAt = engine.clock.now()
    const { values, ends, last } = await relayed(engine, await committed(engine))
    expect(last).toMatchObject({ kind: 'cut', failure: { kind } })
    expect(values.filter(value => value.kind !== 'part')).toHaveLength(1)
    expect(ends).toMatchObject([{ kind: 'cut', failure: { kind } }])
    // How long a reset takes is the upstream's affair.
    if (afterMs !== null) expect(engine.clock.now() - startedAt).toBe(afterMs)
  })

  const LONGER_THAN_IDLE_MS = DEFAULT_SETTINGS.idle_timeout_ms + 1
  it('because the platform gives no more time is nobody’s fault', async () => {
    await using engine = await startRequestEngine({ a: [events([word('Hello')], { end: 'silence' })] })
    const answer = await committed(engine)
    const limits = { ...answer.limits, idleMs: 90_000, endsWithPlatform: true }
    const { last } = await relayed(engine, { ...answer, limits })
    expect(last).toMatchObject({ kind: 'cut', failure: { code: 'BACKSTOP_DEADLINE', scope: 'request' } })
  })

  it('is no failure where only the client reads slowly', async () => {
    await using engine = await startRequestEngine({ a: [chatStream(['Hello', ' you'])] })
    const answer = await committed(engine)
    const values: RelayValue[] = []
    for await (const value of relay(answer, engine.clock, () => undefined)) {
      values.push(value)
      if (value.kind === 'part') engine.clock.pass(LONGER_THAN_IDLE_MS)
    }
    await answer.close()
    expect(values.at(-1)).toEqual({ kind: 'end' })
  })
})
