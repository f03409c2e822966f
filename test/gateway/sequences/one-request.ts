import { expect } from 'vitest'
import { ask } from '../../support/ask.ts'
import { behaviour } from '../../support/behaviours.ts'
import { chatStream, errorAnswer, tokens } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { failing, hopsOf, limited, overloaded, servedBy, stage, type Sequence } from './sequence.ts'

const healthy = chatStream(['all ', 'well'])
const fallback = chatStream(['fall', 'back'], { model: 'backup' })

const [lone500] = behaviour('seq-s03').upstream.sequence as unknown as [HttpAnswer]
const noPrefill: HttpAnswer = { status: 400, body: behaviour('seq-s14').upstream.fallback_body ?? '' }
const MOST_PRIMARY_CALLS = 4

/** What becomes of a single request that meets several answers in a row. */
export const ONE_REQUEST: readonly Sequence[] = [
  {
    id: 'seq-401-402-failover',
    consequence: 'a refused key or an empty account does not lose the request that meets it',
    async run(open) {
      for (const status of [401, 402]) {
        const refused = errorAnswer(status, { message: 'Refused.' })
        const { gateway } = await stage(open, [[refused], [healthy]], { oneTier: true })
        const answer = await ask(gateway)
        expect(answer.content).toBe('all well')
        expect(hopsOf(answer)).toEqual([`a/m ${status === 401 ? 'auth' : 'quota_exhausted'}`, 'b/m ok'])
      }
    },
  },
  {
    id: 'seq-priority-not-advanced',
    consequence: 'what follows a limited target is the next one, not the same one again',
    async run(open) {
      const { gateway, upstreams } = await stage(open, [[limited()], [fallback]], { oneTier: true })
      expect(hopsOf(await ask(gateway))).toEqual(['a/m rate_limit', 'b/m ok'])
      expect(upstreams.map(upstream => upstream.calls())).toEqual([1, 1])
    },
  },
  {
    id: 'seq-rotation-budget',
    consequence: 'walking three dead keys costs no attempt',
    async run(open) {
      const upstream = open(
        await startUpstream(({ headers }) =>
          headers.authorization === 'Bearer key4' ? healthy : errorAnswer(402, { message: 'Pay first.' }),
        ),
      )
      const configuration = {
        providers: { a: { baseUrl: upstream.url } },
        models: { chat: { tiers: [['a/m']] } },
        settings: { retry_max_attempts: 2 },
      }
      const gateway = open(await startGateway(configuration, { A_API_KEY: 'key1,key2,key3,key4' }))
      expect((await ask(gateway)).content).toBe('all well')
      expect(upstream.calls()).toBe(4)
    },
  },
  {
    id: 'seq-s02-no-hammer',
    consequence: 'a persistent 429 is asked at most four times, then the fallback, and then left alone',
    async run(open) {
      const { gateway, upstreams } = await stage(open, [[limited()], [fallback]])
      const answer = await ask(gateway)
      expect(answer.content).toBe('fallback')
      const calls = upstreams[0]?.calls() ?? 0
      expect(calls).toBeLessThanOrEqual(MOST_PRIMARY_CALLS)
      const cooling = async () => (await ask(gateway)).headers.get('x-backstop-skipped')
      await expect.poll(cooling).toMatch(/^a\/m;cooldown;/)
      expect(upstreams[0]?.calls()).toBe(calls)
    },
  },
  {
    id: 'seq-s03',
    consequence: 'a lone 500 is answered by the same endpoint, asked once more',
    async run(open) {
      const { gateway, upstreams } = await stage(open, [[lone500, healthy], [fallback]])
      const answer = await ask(gateway)
      expect(hopsOf(answer)).toEqual(['a/m server_error', 'a/m ok'])
      expect(upstreams.map(upstream => upstream.calls())).toEqual([2, 0])
    },
  },
  {
    id: 'seq-s04',
    consequence: 'a persistent 503 leads to the fallback after one more try',
    async run(open) {
      const { gateway } = await stage(open, [[overloaded], [fallback]])
      expect(hopsOf(await ask(gateway))).toEqual(['a/m overloaded', 'a/m overloaded', 'b/m ok'])
    },
  },
  {
    id: 'seq-s05',
    consequence: 'a reset before headers is answered by the same endpoint, asked once more',
    async run(open) {
      const { gateway, upstreams } = await stage(open, [[{ fault: 'reset-before-headers' }, healthy]])
      expect((await ask(gateway)).content).toBe('all well')
      expect(upstreams[0]?.calls()).toBe(2)
    },
  },
  {
    id: 'seq-s14',
    consequence: 'a cut stream is told as one; a fallback is asked afresh, never with a prefill',
    async run(open) {
      const cut: HttpAnswer = { ...chatStream(tokens(40), { finish: null }), end: 'destroy' }
      const { gateway, upstreams } = await stage(open, [
        [cut],
        ({ body }) => {
          const last = Array.isArray(body.messages) ? JSON.stringify(body.messages.at(-1)) : ''
          return last.includes('"assistant"') ? noPrefill : fallback
        },
      ])
      const streamed = await ask(gateway, { stream: true })
      expect(streamed.error?.code).toBe('stream_cut')
      expect(streamed.text).not.toContain('prefill')
      expect(streamed.done).toBe(false)
      expect(upstreams[1]?.calls()).toBe(0)
      const held = await ask(gateway, { stream: true }, { 'x-backstop-buffer': '1' })
      expect([held.content, held.done]).toEqual(['fallback', true])
    },
  },
  {
    id: 'seq-s16',
    consequence: "the answer names the fallback's model and its usage",
    async run(open) {
      const { gateway } = await stage(open, [[overloaded], [fallback]])
      for (const body of [{ stream: true, stream_options: { include_usage: true } }, { stream: false }]) {
        const answer = await ask(gateway, body)
        expect(servedBy(answer)).toBe('b/m')
        expect(answer.text).toContain('"model":"backup"')
        expect(answer.text).toMatch(/"total_tokens":\d+/)
      }
    },
  },
  {
    id: 'seq-slow-failure-no-double',
    consequence: 'nobody is asked for longer than the deadline, nor twice',
    async run(open) {
      const slow: HttpAnswer = { ...failing, headersDelayMs: 900 }
      for (const scripts of [[[slow]], [[slow], [slow]]]) {
        const settings = { first_byte_deadline_ms: 600 }
        const { gateway, clock, upstreams } = await stage(open, scripts, { settings })
        const startedAt = clock.now()
        expect((await ask(gateway)).error?.code).toBe('upstream_timeout')
        expect(clock.now() - startedAt).toBe(600)
        expect(upstreams.map(upstream => upstream.calls())).toEqual(scripts.map(() => 1))
      }
    },
  },
  {
    id: 'net-enotfound',
    consequence: 'a host whose name is not known costs its endpoint the request, not the client',
    async run(open) {
      const backup = open(await startUpstream([fallback]))
      // RFC 6761 keeps this name from ever being known.
      const urls = { a: 'http://nobody.invalid/v1', b: backup.url }
      const gateway = open(await startGateway(configOf(urls, [['a/m'], ['b/m']])))
      const answer = await ask(gateway)
      expect(answer.content).toBe('fallback')
      expect(hopsOf(answer).at(-1)).toBe('b/m ok')
    },
  },
]
