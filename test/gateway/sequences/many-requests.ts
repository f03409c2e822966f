import { expect } from 'vitest'
import { ask, type Answer } from '../../support/ask.ts'
import { chatStream, tokens } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { failing, gone, limited, REMOTE, servedBy, stage, WITHOUT_RETRY, type Sequence } from './sequence.ts'

const back = chatStream(['back'])
const round = chatStream(['round'])

/** What the fleet makes of several requests in a row. */
export const MANY_REQUESTS: readonly Sequence[] = [
  {
    id: 'brk-all-open-bypass',
    consequence: 'with everything open or quarantined the answer is a prompt 503 with a time to return',
    async run(open) {
      const settings = { ...WITHOUT_RETRY, breaker_min_requests: 1 }
      const { gateway, clock, upstreams } = await stage(open, [[gone], [failing]], { settings })
      const rejected = async () => (await ask(gateway)).headers.get('x-backstop-attempts')
      await expect.poll(rejected).toBe('0')
      const calls = upstreams.map(upstream => upstream.calls())
      const startedAt = clock.now()
      const answer = await ask(gateway)
      expect(clock.now()).toBe(startedAt)
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(answer.headers.get('x-backstop-skipped')).toMatch(/a\/m;quarantined;\d+, b\/m;breaker_open;\d+/)
      expect(upstreams.map(upstream => upstream.calls())).toEqual(calls)
    },
  },
  {
    id: 'brk-first-probe-counted',
    consequence: 'the call that half-opens a breaker is its trial; the one beside it goes round',
    async run(open) {
      const settings = { ...WITHOUT_RETRY, breaker_min_requests: 1, breaker_open_ms: 1_000 }
      const { gateway, clock, upstreams } = await stage(open, [[failing], [round]], { settings })
      const [ill] = upstreams
      await ask(gateway)
      ill?.play([{ ...back, headersDelayMs: 500 }])
      clock.pass(1_000)
      const answers = await Promise.all([ask(gateway), ask(gateway), ask(gateway)])
      expect(answers.map(servedBy).toSorted()).toEqual(['a/m', 'b/m', 'b/m'])
      expect(ill?.calls()).toBe(2)
    },
  },
  {
    id: 'brk-timer-not-reset',
    consequence: 'a failure that arrives while the breaker is open does not put off its trial',
    async run(open) {
      const openMs = 1_500
      const settings = { ...WITHOUT_RETRY, breaker_min_requests: 2, breaker_open_ms: openMs }
      const late = Promise.withResolvers<UpstreamAnswer>()
      const { gateway, clock, upstreams } = await stage(
        open,
        [(_, call) => (call === 1 ? late.promise : failing), [round]],
        { settings },
      )
      const [ill] = upstreams
      const first = ask(gateway)
      await expect.poll(() => ill?.calls()).toBe(1)
      await Promise.all([ask(gateway), ask(gateway)])
      clock.pass(1_000)
      late.resolve(failing)
      await first
      ill?.play([back])
      clock.pass(openMs - 1_000 - 1)
      expect(servedBy(await ask(gateway))).toBe('b/m')
      clock.pass(1)
      expect(servedBy(await ask(gateway))).toBe('a/m')
    },
  },
  {
    id: 'seq-429-cooldown-inf',
    consequence: "the gateway's own 429 prolongs nobody's cooldown",
    async run(open) {
      const { gateway, store, upstreams } = await stage(open, [[limited(30)]], { settings: REMOTE })
      expect((await ask(gateway)).status).toBe(429)
      // The cooldown, and that the key has a limit which nobody has told.
      await expect.poll(() => store.items()).toHaveLength(2)
      const before = store.items()
      for (const _ of [1, 2, 3, 4]) {
        const answer = await ask(gateway)
        expect([answer.status, answer.headers.get('x-backstop-attempts')]).toEqual([429, '0'])
      }
      expect(store.items()).toEqual(before)
      expect(upstreams[0]?.calls()).toBe(1)
    },
  },
  {
    id: 'seq-client-abort',
    consequence: 'a client that leaves ends the call upstream; nobody else is asked, and nobody is blamed',
    async run(open) {
      const stalling = { ...chatStream(tokens(3), { finish: null }), end: 'silence' as const }
      const settings = { breaker_min_requests: 1, endpoint_suspect_threshold: 1 }
      // No time passes while this one stalls: nothing but the client's disconnect may end it.
      const [a, b] = [open(await startUpstream([stalling, back])), open(await startUpstream([round]))]
      const world = createWorld()
      const { store } = world
      const tiers = [['a/m'], ['b/m']]
      const gateway = open(await startGateway(configOf({ a: a.url, b: b.url }, tiers, settings), {}, world))
      const disconnect = new AbortController()
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'chat',
          stream: true,
          messages: [{ role: 'user', content: 'Hello?' }],
        }),
        signal: disconnect.signal,
      })
      await response.body?.getReader().read()
      disconnect.abort()
      expect(await a.requests[0]?.ended).toBe('aborted')
      await expect.poll(() => gateway.completed[0]?.outcome).toBe('client-left')
      expect([a.calls(), b.calls()]).toEqual([1, 0])
      expect(store.items()).toEqual([])
      expect(servedBy(await ask(gateway))).toBe('a/m')
    },
  },
  {
    id: 'seq-cooldown-wait',
    consequence:
      'a cooldown that fits the waiting budget is waited out; a longer one is told with Retry-After',
    async run(open) {
      for (const [budgetMs, status] of [
        [8_000, 200],
        [500, 429],
      ] as const) {
        const settings = { ...REMOTE, retry_patience_ms: 0, retry_total_wait_ms: budgetMs }
        const { gateway, clock } = await stage(open, [[limited(2), back]], { settings })
        expect((await ask(gateway)).status).toBe(429)
        const startedAt = clock.now()
        const answer = await ask(gateway)
        expect([answer.status, clock.now() - startedAt]).toEqual([status, status === 200 ? 2_000 : 0])
        if (status === 429) expect(answer.headers.get('retry-after')).toBe('2')
      }
    },
  },
  {
    id: 'seq-health-shared',
    consequence: 'a dead model is quarantined alone; the others of its provider stay in use',
    async run(open) {
      const upstream = open(await startUpstream({ dead: [gone], well: [back] }))
      const gateway = open(
        await startGateway({
          providers: { up: { baseUrl: upstream.url, key: false } },
          models: { dead: { tiers: [['up/dead']] }, well: { tiers: [['up/well']] } },
        }),
      )
      const codeOf = async () => (await ask(gateway, { model: 'dead' })).error?.code
      await expect.poll(codeOf).toBe('all_quarantined')
      const answer = await ask(gateway, { model: 'well' })
      expect([answer.content, answer.headers.get('x-backstop-attempts')]).toEqual(['back', '1'])
    },
  },
  {
    id: 'seq-s15-flap',
    consequence: 'an outage is served round, hardly asked in, and over soon after it is over',
    async run(open) {
      const settings = { ...WITHOUT_RETRY, breaker_min_requests: 2, breaker_open_ms: 1_000 }
      const { gateway, clock, upstreams } = await stage(open, [[failing], [round]], { settings })
      const [primary] = upstreams
      const answers: Answer[] = []
      const keepAsking = async (ms: number): Promise<void> => {
        for (const endsAt = clock.now() + ms; clock.now() < endsAt; clock.pass(100)) {
          answers.push(await ask(gateway))
        }
      }
      await keepAsking(1_500)
      expect(primary?.calls()).toBeLessThanOrEqual(4)
      expect(new Set(answers.map(servedBy))).toEqual(new Set(['b/m']))
      primary?.play([back])
      await keepAsking(1_500)
      expect(servedBy(await ask(gateway))).toBe('a/m')
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    },
  },
]
