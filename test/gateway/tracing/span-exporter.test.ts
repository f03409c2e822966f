import { describe, expect, it, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import type { TestGateway } from '../../support/start-gateway.ts'
import { readTracing } from '../../../lambdas/config/read-tracing.ts'
import type { OtlpSpan } from '../../../lambdas/core/tracing/otlp.ts'
import { refusedSpan } from '../../../lambdas/core/tracing/request-spans.ts'
import { createAgents } from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import { createSpanExporter } from '../../../lambdas/engine/tracing/span-exporter.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startCollector } from '../../support/tracing/start-collector.ts'
import { SPAN, TRACE, tracedStarter } from './traced-gateway.ts'

const startTraced = tracedStarter()
const SCRIPT = () => chatStream(['fine'])

const toldOf = ({ lines }: TestGateway): LogEvent[] => lines.filter(({ event }) => event.startsWith('spans-'))

async function askAndSettle(gateway: TestGateway, times = 1): Promise<void> {
  for (let request = 0; request < times; request += 1) {
    expect((await ask(gateway)).content).toBe('fine')
    await gateway.settled()
  }
}

describe('a collector', () => {
  it('gets what the environment says, compressed where that is wanted', async () => {
    const { gateway, collector } = await startTraced([SCRIPT], {
      variables: {
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team-key=very%20secret',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SERVICE_NAME: 'llm',
      },
    })
    await askAndSettle(gateway)
    expect(collector.exports).toHaveLength(1)
    expect(collector.exports[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-team-key': 'very secret',
    })
    expect(collector.resource).toEqual({ 'service.name': 'llm' })
    expect(collector.spans).toHaveLength(2)
  })

  test.each([
    ['busy', { status: 503 }, /answered 503/],
    ['limited', { status: 429 }, /answered 429/],
  ])('that is %s is left alone for a while, and then gets everything', async (_, answer, words) => {
    const { gateway, collector, clock } = await startTraced([SCRIPT])
    collector.answer = answer
    await askAndSettle(gateway, 3)
    expect(collector.exports).toHaveLength(1)
    expect(toldOf(gateway)).toEqual([{ event: 'spans-not-sent', error: expect.stringMatching(words) }])
    clock.pass(5_000)
    await askAndSettle(gateway)
    expect(collector.exports).toHaveLength(2)
    collector.answer = { status: 200 }
    // The second pause is longer.
    clock.pass(5_000)
    await askAndSettle(gateway)
    expect(collector.exports).toHaveLength(2)
    clock.pass(5_000)
    await askAndSettle(gateway)
    expect(collector.spans).toHaveLength(12)
    expect(toldOf(gateway).map(({ event }) => event)).toEqual(['spans-not-sent', 'spans-sent-again'])
    expect(toldOf(gateway)[1]).toMatchObject({ dropped: 0 })
  })

  it('is waited for as long as it says', async () => {
    const { gateway, collector, clock } = await startTraced([SCRIPT])
    collector.answer = { status: 429, headers: { 'retry-after': '60' } }
    await askAndSettle(gateway)
    clock.pass(59_000)
    await askAndSettle(gateway)
    expect(collector.exports).toHaveLength(1)
    clock.pass(1_000)
    await askAndSettle(gateway)
    expect(collector.exports).toHaveLength(2)
  })

  test.each([
    [401, /Check the key in OTEL_EXPORTER_OTLP_HEADERS/],
    [404, /\/v1\/traces is added/],
    [415, /in JSON/],
  ])('that refuses with %i gets the same spans no second time', async (status, words) => {
    const { gateway, collector, clock } = await startTraced([SCRIPT])
    collector.answer = { status }
    await askAndSettle(gateway)
    expect(toldOf(gateway)).toEqual([{ event: 'spans-not-sent', error: expect.stringMatching(words) }])
    collector.answer = { status: 200 }
    clock.pass(5_000)
    await askAndSettle(gateway)
    expect(collector.spans).toHaveLength(2)
    expect(toldOf(gateway)[1]).toMatchObject({ event: 'spans-sent-again', dropped: 2 })
  })

  it('that takes only some is told of, and goes on getting others', async () => {
    const { gateway, collector } = await startTraced([SCRIPT])
    collector.answer = { status: 200, body: { partialSuccess: { rejectedSpans: '1', errorMessage: 'no' } } }
    await askAndSettle(gateway, 2)
    expect(collector.exports).toHaveLength(2)
    expect(toldOf(gateway)).toEqual([
      { event: 'spans-not-sent', error: expect.stringMatching(/did not take 1 of the spans/) },
    ])
  })

  it('that is not there costs no answer, and is told of without a key', async () => {
    const { gateway } = await startTraced([SCRIPT], {
      variables: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hidden@127.0.0.1:1/path?key=hidden' },
    })
    await askAndSettle(gateway, 2)
    const told = toldOf(gateway)
    expect(told).toEqual([
      { event: 'spans-not-sent', error: expect.stringMatching(/127\.0\.0\.1:1.* cannot be reached \(ECONN/) },
    ])
    expect(JSON.stringify(gateway.lines)).not.toContain('hidden')
    expect(gateway.handlerErrors).toEqual([])
  })

  it('that does not answer holds no invocation for longer than a second', async () => {
    const { gateway, collector, clock } = await startTraced([SCRIPT])
    collector.answer = null
    expect((await ask(gateway)).content).toBe('fine')
    await expect.poll(() => collector.exports.length).toBe(1)
    clock.pass(1_000)
    await gateway.settled()
    // Nobody waits for that call any more.
    await askAndSettle(gateway, 2)
    expect(collector.exports).toHaveLength(1)
    collector.answer = { status: 200 }
    clock.pass(9_000)
    await expect.poll(() => toldOf(gateway).length).toBe(1)
    clock.pass(5_000)
    await askAndSettle(gateway)
    expect(collector.spans).toHaveLength(8)
  })

  it('that stays away is no leak: the oldest spans are given up', async () => {
    const clock = createVirtualClock()
    await using collector = await startCollector()
    collector.answer = { status: 503 }
    const lines: LogEvent[] = []
    const agents = createAgents(clock)
    const options = readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }).tracing
    const log = (line: LogEvent): void => void lines.push(line)
    const exporter = options ? createSpanExporter(options, { agents, clock, log }) : expect.fail()
    for (let at = 0; at < 3_000; at += 1) exporter.add([spanOf(at)])
    await exporter.settled()
    collector.answer = { status: 200 }
    clock.pass(5_000)
    await exporter.settled()
    expect(collector.spans).toHaveLength(2_048)
    expect(collector.spans.at(0)?.attributes['backstop.request_id']).toBe(`request-${3_000 - 2_048}`)
    expect(collector.exports.map(({ spans }) => spans)).toEqual([512, 512, 512, 512, 512])
    expect(lines[1]).toEqual({ event: 'spans-sent-again', dropped: 3_000 - 2_048 })
    agents.http.destroy()
  })
})

function spanOf(at: number): OtlpSpan {
  const context = { traceId: TRACE, spanId: SPAN, flags: 1, state: null }
  const route = '/v1/chat/completions'
  const begun = { context, parentSpanId: null, route, kind: 'chat' as const, startedAt: 1_790_000_000_000 }
  const requestId = `request-${at}`
  const endedAt = begun.startedAt + 1
  return refusedSpan(begun, { requestId, caller: 'somebody', code: 'model_not_found', endedAt })
}
