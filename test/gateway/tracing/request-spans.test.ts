import { describe, expect, it, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { startCollector, traceOf } from '../../support/tracing/start-collector.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { chatCompletion, chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { contextAt, PARENT, SPAN, TRACE, tracedStarter } from './traced-gateway.ts'

const startTraced = tracedStarter()
const LIMITED = errorAnswer(429, { message: 'Slow down.' })
const BUSY = errorAnswer(503, { message: 'Overloaded.' })

describe('the span of a request', () => {
  it('tells by the GenAI conventions what was asked for, what answered, and what it cost', async () => {
    const { gateway, collector, upstreams, clock } = await startTraced([[chatCompletion('here')]])
    const answer = await ask(gateway, { stream: false })
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request).toMatchObject({ name: 'chat chat', kind: 2, parentSpanId: null, status: {} })
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'url.path': '/v1/chat/completions',
      'http.response.status_code': '200',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'a',
      'gen_ai.request.model': 'chat',
      'gen_ai.response.model': 'm',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': '5',
      'gen_ai.usage.output_tokens': '1',
      'gen_ai.usage.cost': 0.0002,
      'backstop.request_id': answer.headers.get('x-request-id'),
      'backstop.caller': 'loopback',
      'backstop.alias': 'chat',
      'backstop.outcome': 'answered',
      'backstop.served_by': 'a/m',
      'backstop.tier': '1',
      'backstop.attempts': '1',
      'backstop.chain': ['a/m;ok;200;0'],
      'backstop.skipped': [],
      'backstop.cost': 0.0002,
      'backstop.lost_cost': 0,
      'backstop.overhead_ms': '0',
    })
    expect(request.startMs).toBe(clock.now())
    expect(attempts).toHaveLength(1)
    expect(attempts[0]).toMatchObject({
      name: 'attempt a/m',
      kind: 3,
      traceId: request.traceId,
      status: {},
      events: [{ name: 'backstop.first_output', atMs: request.startMs }],
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': '200',
        'server.address': '127.0.0.1',
        'server.port': String(upstreams[0]?.port),
        'backstop.endpoint': 'a/m',
        'backstop.outcome': 'ok',
        'backstop.tier': '1',
      },
    })
    // Whoever adds up tokens by these names must not count a request twice.
    expect(Object.keys(attempts[0]?.attributes ?? {}).filter(key => key.startsWith('gen_ai.'))).toEqual([])
    expect(collector.resource).toMatchObject({ 'service.name': 'backstop' })
    expect(collector.exports[0]).toMatchObject({ path: '/v1/traces', spans: 2 })
    expect(gateway.completed[0]?.traceId).toBe(request.traceId)
  })

  it('goes on with the trace of the client, and each upstream with its attempt', async () => {
    const scripts = [[LIMITED], [BUSY], [{ ...chatStream(['a', 'b']), headersDelayMs: 200, gapMs: 100 }]]
    const { gateway, collector, upstreams } = await startTraced(scripts)
    await ask(gateway, { stream: true }, PARENT)
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, state: PARENT.tracestate })
    // Sampled, and a parent in another process.
    expect(request.flags).toBe(0x301)
    expect(attempts.length).toBeGreaterThanOrEqual(3)
    expect(new Set(attempts.map(({ spanId }) => spanId)).size).toBe(attempts.length)
    const sent = upstreams.flatMap(upstream => upstream.requests.map((_, at) => contextAt(upstream, at)))
    expect(sent).toEqual(
      attempts.map(({ spanId }) => ({ traceId: TRACE, spanId, flags: '01', state: PARENT.tracestate })),
    )
    expect(attempts[0]).toMatchObject({
      name: 'attempt a/m',
      status: { code: 2, message: 'Slow down.' },
      attributes: { 'error.type': 'rate_limit', 'http.response.status_code': '429', 'backstop.tier': '1' },
      events: [],
    })
    const served = attempts.at(-1)
    expect(served).toMatchObject({ status: {}, attributes: { 'backstop.tier': '3' } })
    expect(request.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.provider.name': 'c',
      // 5 tokens in and 2 out, as the stream told with its last event.
      'gen_ai.usage.output_tokens': '2',
      'gen_ai.usage.cost': 0.0003,
      'backstop.cost': 0.0003,
      'backstop.tier': '3',
      'backstop.served_by': 'c/m',
    })
    // The first output came before the end, and the span of the call goes on to the end.
    const [output] = served?.events ?? []
    expect(served?.endMs).toBe(request.endMs)
    expect(output?.atMs).toBeLessThan(request.endMs)
    const afterMs = (output?.atMs ?? 0) - request.startMs
    expect(request.attributes['gen_ai.response.time_to_first_chunk']).toBe(afterMs / 1_000)
  })

  it('is an error where nothing answered', async () => {
    const { gateway, collector } = await startTraced([[BUSY], [LIMITED]])
    const { status, error } = await ask(gateway)
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request.status).toEqual({ code: 2 })
    expect(request.attributes).toMatchObject({
      'http.response.status_code': String(status),
      'error.type': error?.code,
      'backstop.outcome': 'failed',
    })
    expect(request.attributes['gen_ai.response.model']).toBeUndefined()
    expect(attempts.every(({ status: { code } }) => code === 2)).toBe(true)
  })

  it('is an error where a stream was cut, which began with 200', async () => {
    const { gateway, collector } = await startTraced([[chatStream(['one ', 'two '], { finish: null })]])
    await ask(gateway, { stream: true })
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request.status).toEqual({ code: 2 })
    expect(request.attributes).toMatchObject({
      'http.response.status_code': '200',
      'error.type': 'stream_cut',
      'backstop.outcome': 'cut',
    })
    expect(request.attributes['backstop.lost_cost']).toBeGreaterThan(0)
    expect(attempts[0]?.status.code).toBe(2)
    expect(attempts[0]?.events).toHaveLength(1)
  })

  it('ends where the client leaves, which is no error', async () => {
    const endless = { ...chatStream(['one '], { finish: null }), end: 'silence' as const }
    await using upstream = await startUpstream([endless])
    await using collector = await startCollector()
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const config = configOf({ a: upstream.url }, [['a/m']])
    await using gateway = await startGateway(config, variables, { clock: systemClock })
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await expect.poll(() => collector.spans.length).toBe(2)
    const { request, attempts } = traceOf(collector.spans)
    expect(request).toMatchObject({ status: {}, attributes: { 'backstop.outcome': 'client-left' } })
    expect(request.attributes['error.type']).toBeUndefined()
    expect(attempts[0]?.status).toEqual({})
  })

  test.each([
    ['an unknown model', { model: 'none' }, 'model_not_found', '404'],
    ['a malformed body', { messages: 'Hi' }, 'invalid_request', '400'],
  ])('tells of %s, which is the request’s own fault', async (_, body, code, status) => {
    const { gateway, collector, upstreams } = await startTraced([[chatCompletion('never')]])
    await ask(gateway, body, PARENT)
    await gateway.settled()
    const { request } = traceOf(collector.spans)
    expect(request).toMatchObject({ name: 'chat', traceId: TRACE, parentSpanId: SPAN, status: {} })
    expect(request.attributes).toMatchObject({
      'error.type': code,
      'http.response.status_code': status,
      'backstop.outcome': 'refused',
    })
    expect(upstreams[0]?.calls()).toBe(0)
  })

  it('does not exist for a caller without a key, for a plan, or for a look', async () => {
    const variables = { BACKSTOP_CLIENT_KEYS: 'right' }
    const { gateway, collector } = await startTraced([[chatCompletion('never')]], { variables })
    const authorization = 'Bearer right'
    await ask(gateway, {}, { authorization: 'Bearer wrong' })
    await fetch(`${gateway.url}/v1/models`, { headers: { authorization } })
    await ask(gateway, {}, { authorization, 'x-backstop-dry-run': '1' })
    await gateway.probe()
    await gateway.settled()
    expect(collector.exports).toEqual([])
  })

  it('of a hedged request has both calls, side by side', async () => {
    const now = { a: 100, b: 100 }
    const late = (ms: number) => ({ ...chatStream(['ok']), firstChunkDelayMs: ms })
    const { gateway, collector } = await startTraced([() => late(now.a), () => late(now.b)], {
      replicas: true,
      alias: { hedge: { afterMs: 500 } },
      variables: { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    })
    for (let request = 0; request < 20; request += 1) await ask(gateway, { stream: true })
    expect(collector.exports).toEqual([])
    now.a = 5_000
    await ask(gateway, { stream: true }, PARENT)
    await gateway.settled()
    const { attempts } = traceOf(collector.spans)
    const outcomes = attempts.map(({ attributes }) => attributes['backstop.outcome'])
    expect(outcomes).toEqual(['hedged', 'ok'])
    const [lost, won] = attempts
    expect(lost?.status).toEqual({})
    expect(won?.startMs).toBeGreaterThan(lost?.startMs ?? Infinity)
    expect(won?.startMs).toBeLessThan(lost?.endMs ?? 0)
  })

  it('says nothing of prompts, answers and keys', async () => {
    const secrets = ['the miller’s horse', 'It crossed the lake', 'client-key-4711', 'provider-key-0815']
    const [prompt = '', answer = '', client = '', key = ''] = secrets
    const { gateway, collector } = await startTraced(
      [[errorAnswer(400, { message: `Cannot parse '${prompt}' with ${client}` })], [chatStream([answer])]],
      { variables: { BACKSTOP_CLIENT_KEYS: client, A_API_KEY: key } },
    )
    const messages = [{ role: 'user', content: prompt }]
    for (const stream of [true, false])
      await ask(gateway, { messages, stream }, { authorization: `Bearer ${client}` })
    await gateway.settled()
    const told = JSON.stringify(collector.spans)
    expect(collector.spans.length).toBeGreaterThanOrEqual(4)
    for (const secret of secrets) expect(told).not.toContain(secret)
  })
})
