import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatStream, errorAnswer, tokens } from '../support/upstreams/chat-bodies.ts'
import { startCollector } from '../support/tracing/start-collector.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { chatEvent } from './chat-event.ts'
import { CLIENT_KEY, openCloud, type Cloud } from './cloud.ts'
import { httpAnswer } from './http-answer.ts'
import { tellSkipped } from '../support/tell-skipped.ts'
import type { LambdaInstance } from './lambda-instance.ts'
import { missingForLambdaRic } from './lambda-ric.ts'

const missing = tellSkipped("the gateway under Lambda's runtime client", missingForLambdaRic())

/** Models of one upstream, each of which behaves in its own way. */
const MODELS = {
  well: [chatStream(tokens(5))],
  slow: [{ ...chatStream(tokens(3)), gapMs: 150 }],
  broken: [errorAnswer(500, { message: 'out of order' })],
  stalls: [{ ...chatStream(tokens(2), { finish: null }), end: 'silence' as const }],
  hangs: [{ fault: 'no-response' as const }],
}

const aliasOf = (...models: (keyof typeof MODELS)[]) => ({ tiers: models.map(model => [`local/${model}`]) })

describe.skipIf(missing !== null)(
  `the gateway under Lambda's runtime client${missing ? ` (${missing})` : ''}`,
  () => {
    let upstream: ScriptedUpstream
    let cloud: Cloud
    let instance: LambdaInstance

    beforeAll(async () => {
      upstream = await startUpstream(MODELS)
      cloud = await openCloud({
        providers: { local: { baseUrl: upstream.url, key: false } },
        models: {
          chat: aliasOf('well'),
          slow: aliasOf('slow'),
          fallback: aliasOf('broken', 'well'),
          stalls: aliasOf('stalls'),
          hangs: aliasOf('hangs'),
        },
        settings: {
          idle_timeout_ms: 3_000,
          // Longer than any test may take: only the end that the platform has set can end a silent answer.
          first_output_timeout_ms: 600_000,
          first_byte_deadline_ms: 600_000,
        },
      })
      instance = await cloud.start('Gateway')
    }, 120_000)

    afterAll(async () => {
      await instance?.close()
      await cloud?.[Symbol.asyncDispose]()
      await upstream?.close()
    })

    async function ask(body: object = {}, options: { key?: string; limitMs?: number } = {}) {
      const answered = await instance.api.invoke(chatEvent(body, options.key), options)
      expect(answered).toMatchObject({ kind: 'answered', streamed: true })
      return { ...httpAnswer(answered), chunks: answered.chunks }
    }

    it('answers its first request, cold', async () => {
      const { status, headers, body } = await ask({ stream: true })
      expect(instance.api.initErrors).toEqual([])
      expect(status).toBe(200)
      expect(headers['content-type']).toContain('text/event-stream')
      expect(body).toContain('word4')
      expect(body.endsWith('data: [DONE]\n\n')).toBe(true)
    })

    it('answers the next one, warm, over the same connection', async () => {
      const { status, body } = await ask({ stream: false })
      expect(status).toBe(200)
      expect(JSON.parse(body)).toMatchObject({
        object: 'chat.completion',
        choices: [{ finish_reason: 'stop' }],
      })
      expect(upstream.acceptedSockets).toBe(1)
    })

    it('sends each token when it comes', async () => {
      const { chunks } = await ask({ model: 'slow', stream: true })
      const [first, last] = [chunks[0]?.at ?? 0, chunks.at(-1)?.at ?? 0]
      expect(last - first).toBeGreaterThan(250)
    })

    it('falls back, and says so', async () => {
      const { status, headers } = await ask({ model: 'fallback' })
      expect(status).toBe(200)
      expect(headers['x-backstop-chain']).toMatch(/^local\/broken;server_error;500;.* > local\/well;ok;200;/)
    })

    it.each([
      ['a wrong client key', {}, 'wrong', 401, 'invalid_api_key'],
      ['an unknown model', { model: 'none' }, CLIENT_KEY, 404, 'model_not_found'],
      ['a request without messages', { messages: [] }, CLIENT_KEY, 400, 'invalid_request'],
    ])('refuses %s', async (_, body, key, status, code) => {
      const answer = await ask(body, { key })
      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code } })
    })

    it('ends a stream that stalls with an error, and without [DONE]', async () => {
      const { status, body } = await ask({ model: 'stalls', stream: true })
      expect(status).toBe(200)
      expect(body).toContain('word1')
      expect(body).toMatch(/data: \{"error":\{.*\}\}\n\n$/)
    })

    it('answers before the platform ends it', async () => {
      const { status, body } = await ask({ model: 'hangs', stream: true }, { limitMs: 3_000 })
      expect(status).toBe(504)
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'upstream_timeout' } })
    })

    it('has sent its spans before it is frozen', async () => {
      await using collector = await startCollector()
      const traced = await cloud.start('Gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      const question = () => traced.api.invoke(chatEvent({}, CLIENT_KEY))
      await question()
      // The runtime takes the second one only when the first is over.
      await question()
      expect(collector.spans.slice(0, 2).map(({ name }) => name)).toEqual(['chat chat', 'attempt local/well'])
      expect(collector.resource).toMatchObject({ 'service.name': 'backstop', 'cloud.provider': 'aws' })
      await traced.close()
    })

    it('writes one line a request, from which CloudWatch takes the metrics', () => {
      const completed = instance.logged().filter(({ event }) => event === 'request-completed')
      expect(completed.map(({ alias, outcome }) => [alias, outcome])).toEqual([
        ['chat', 'answered'],
        ['chat', 'answered'],
        ['slow', 'answered'],
        ['fallback', 'answered'],
        ['stalls', 'cut'],
        ['hangs', 'failed'],
      ])
      for (const line of completed)
        expect(line).toMatchObject({ Requests: 1, _aws: { CloudWatchMetrics: expect.any(Array) } })
      expect(completed[3]).toMatchObject({ fallback_chain: 'fallback: local/broken > local/well' })
      expect(instance.output()).not.toContain(CLIENT_KEY)
    })
  },
)
