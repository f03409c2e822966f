import { describe, expect, it, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { signatureOf, statedSignature } from '../../support/signature-of.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { startCollector, traceOf } from '../../support/tracing/start-collector.ts'
import { chatCompletion, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { NATIVE_APIS } from '../native/native-chain.ts'
import { contextAt, PARENT, SPAN, TRACE, tracedStarter } from './traced-gateway.ts'

const startTraced = tracedStarter()
const OFF = { OTEL_EXPORTER_OTLP_ENDPOINT: '' }

describe('without a collector', () => {
  it('a trace is passed on as it came, and its id is in the log', async () => {
    const { gateway, collector, upstreams } = await startTraced([[chatStream(['a'])]], { variables: OFF })
    await ask(gateway, {}, PARENT)
    expect(contextAt(upstreams[0])).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      flags: '01',
      state: PARENT.tracestate,
    })
    await gateway.settled()
    expect(gateway.completed[0]?.traceId).toBe(TRACE)
    expect(collector.exports).toEqual([])
  })

  it.each([
    ['no trace', {}],
    ['what is no trace', { traceparent: `00-${TRACE}-${SPAN}`, tracestate: 'a=1' }],
  ])('%s is not passed on', async (_, headers) => {
    const { gateway, upstreams } = await startTraced([[chatStream(['a'])]], { variables: OFF })
    await ask(gateway, {}, headers)
    expect(upstreams[0]?.requests[0]?.headers).not.toHaveProperty('traceparent')
    expect(upstreams[0]?.requests[0]?.headers).not.toHaveProperty('tracestate')
    await gateway.settled()
    expect(gateway.completed[0]).not.toHaveProperty('traceId')
  })
})

describe('where nothing is to be passed on', () => {
  it.each([
    ['with a collector', {}],
    ['without one', OFF],
  ])('upstreams learn nothing of the client’s trace, %s', async (_, variables) => {
    const { gateway, collector, upstreams } = await startTraced([[chatStream(['a'])]], {
      variables: { ...variables, OTEL_PROPAGATORS: 'none' },
    })
    await ask(gateway, {}, PARENT)
    await gateway.settled()
    expect(upstreams[0]?.requests[0]?.headers).not.toHaveProperty('traceparent')
    expect(JSON.stringify([collector.spans, gateway.completed])).not.toContain(TRACE)
  })
})

describe('with a collector', () => {
  it('what is no trace is ignored, and one begins', async () => {
    const { gateway, collector, upstreams } = await startTraced([[chatStream(['a'])]])
    await ask(gateway, {}, { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01`, tracestate: 'a=1' })
    await gateway.settled()
    const { request } = traceOf(collector.spans)
    expect(request).toMatchObject({ parentSpanId: null, state: null, flags: 0x101 })
    expect(contextAt(upstreams[0])).toMatchObject({ traceId: request.traceId, state: undefined })
  })

  test.each([
    ['a client that does not sample', {}, { ...PARENT, traceparent: `00-${TRACE}-${SPAN}-00` }],
    ['a sampler that takes none', { OTEL_TRACES_SAMPLER: 'always_off' }, PARENT],
  ])('%s has nothing recorded, and the upstream is told so', async (_, variables, headers) => {
    const { gateway, collector, upstreams } = await startTraced([[chatStream(['a'])]], { variables })
    await ask(gateway, {}, headers)
    await gateway.settled()
    expect(collector.exports).toEqual([])
    const sent = contextAt(upstreams[0])
    expect(sent).toMatchObject({ traceId: TRACE, flags: '00' })
    expect(sent.spanId).not.toBe(SPAN)
  })

  it('what AWS wants signed is signed as ever', async () => {
    await using upstream = await startUpstream([chatStream(['a'])])
    await using collector = await startCollector()
    const config = {
      providers: { bedrock: { baseUrl: upstream.url } },
      models: { chat: { tiers: [['bedrock/openai.gpt-oss-20b-1:0']] } },
    }
    await using gateway = await startGateway(config, {
      AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'role-secret',
      AWS_REGION: 'eu-central-1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })
    expect((await ask(gateway, {}, PARENT)).content).toBe('a')
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request.attributes['gen_ai.provider.name']).toBe('aws.bedrock')
    expect(contextAt(upstream)).toMatchObject({ traceId: TRACE, spanId: attempts[0]?.spanId })
    const [sent] = upstream.requests
    if (!sent) return expect.fail('nobody asked')
    const { method, path, headers, text } = sent
    const arrived = { method, path, headers, body: text }
    expect(statedSignature(arrived)).toBe(signatureOf(arrived, 'role-secret'))
  })

  it.each(NATIVE_APIS)('$path goes on with it too, in the client’s own API', async api => {
    const script: UpstreamScript = ({ body }) =>
      body.stream
        ? {
            status: 200,
            headers: { 'content-type': 'text/event-stream' },
            chunks: api.eventsOf(['Hello']),
          }
        : { status: 200, body: api.wholeOf('Hello') }
    const provider = { wires: { [api.api]: {} } }
    const { gateway, collector, upstreams } = await startTraced([script], { provider })
    for (const stream of [true, false]) {
      const response = await fetch(`${gateway.url}${api.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...PARENT },
        body: JSON.stringify({ ...api.question, stream }),
      })
      expect(await response.text()).toContain('Hello')
    }
    await gateway.settled()
    expect(contextAt(upstreams[0])).toMatchObject({ traceId: TRACE, flags: '01' })
    const requests = collector.spans.filter(({ kind }) => kind === 2)
    expect(requests.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
      [TRACE, SPAN],
      [TRACE, SPAN],
    ])
    expect(requests[0]?.attributes).toMatchObject({ 'http.route': api.path, 'gen_ai.operation.name': 'chat' })
    expect(requests[0]?.attributes['gen_ai.usage.input_tokens']).toBeDefined()
  })

  it('embeddings are an operation of their own', async () => {
    const vectors = {
      status: 200,
      body: {
        object: 'list',
        model: 'm',
        data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
        usage: { prompt_tokens: 5, total_tokens: 5 },
      },
    }
    const alias = { kind: 'embeddings' }
    const { gateway, collector, upstreams } = await startTraced([[vectors]], { alias })
    const response = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...PARENT },
      body: JSON.stringify({ model: 'chat', input: 'Hello' }),
    })
    expect(response.status).toBe(200)
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request.name).toBe('embeddings chat')
    expect(request.attributes).toMatchObject({
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.usage.input_tokens': '5',
      'backstop.cost': 0.0001,
      'http.route': '/v1/embeddings',
    })
    expect(contextAt(upstreams[0])).toMatchObject({ traceId: TRACE, spanId: attempts[0]?.spanId })
  })

  it('a whole answer tells when its output began, although nobody saw it then', async () => {
    const { gateway, collector } = await startTraced([[{ ...chatCompletion('a'), headersDelayMs: 300 }]])
    await ask(gateway, { stream: false })
    await gateway.settled()
    const { request, attempts } = traceOf(collector.spans)
    expect(request.attributes['gen_ai.response.time_to_first_chunk']).toBeUndefined()
    expect((attempts[0]?.events[0]?.atMs ?? 0) - request.startMs).toBe(300)
  })
})
