import { setImmediate as turn } from 'node:timers/promises'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import type { VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { ask } from '../../support/ask.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { chatCompletion, chatStream, errorAnswer, tokens } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { as, keysOf } from './named-callers.ts'

export const CALLERS = ['billing', 'support', 'büro #1', 'script'] as const
const MODELS = ['told', 'priced', 'free', 'host/named-by-the-client'] as const

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** How the first endpoint of the priced chain answers, in turn; whatever it does not answer, the second one does. */
const MOODS: readonly ((streamed: boolean) => UpstreamAnswer)[] = [
  streamed => (streamed ? chatStream(tokens(7)) : chatCompletion('well')),
  () => errorAnswer(500, { message: 'The server had an error.' }),
  // Held answers that break off are lost, and paid for.
  () => chatStream(tokens(5), { finish: null }),
  streamed => (streamed ? chatStream(tokens(3), { usage: null }) : chatCompletion('well')),
  () => errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '1' }),
]

/** What an aggregator charges: figures of many decimals, as they do. */
const toldUsage = (index: number) => ({
  prompt_tokens: 1_000 + index,
  completion_tokens: 10 + (index % 7),
  total_tokens: 1_010 + index + (index % 7),
  cost: 0.000_123_4567 * (1 + (index % 11)),
})

/** Aborts once its first bytes have come. */
async function leave(gateway: TestGateway, body: object, headers: Record<string, string>): Promise<void> {
  const before = gateway.completed.length
  const left = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello?' }], ...body }),
    signal: left.signal,
  })
  await response.body?.getReader().read()
  left.abort()
  while (gateway.completed.length === before) await turn()
}

/** Some hundred requests over a day and a half of this clock, with all that makes their cost hard to sum up. */
export async function playDay(
  store: FleetStore,
  clock: VirtualClock,
  requests: number,
): Promise<TestGateway['completed']> {
  let calls = 0
  await using told = await startUpstream(() => {
    const usage = toldUsage((calls += 1))
    return calls % 2 === 0 ? chatStream(tokens(4), { usage }) : chatCompletion('told', { usage })
  })
  let moods = 0
  await using host = await startUpstream(({ body }) => {
    const streamed = (body as { stream?: boolean }).stream === true
    return (MOODS[(moods += 1) % MOODS.length] ?? (() => chatCompletion('never')))(streamed)
  })
  await using second = await startUpstream([chatStream(tokens(2))])
  await using silent = await startUpstream([{ ...chatStream(tokens(6)), gapMs: 50, end: 'silence' }])
  const price = { input: 0.15, output: 0.6, cachedInput: 0.03 }
  const config = {
    providers: Object.fromEntries(
      Object.entries({ told, host, second, silent }).map(([id, { url }]) => [
        id,
        { baseUrl: url, key: false },
      ]),
    ),
    models: {
      told: { tiers: [['told/m']] },
      priced: {
        tiers: [[{ endpoint: 'host/m', price }], [{ endpoint: 'second/m', price: { input: 3, output: 15 } }]],
      },
      free: { tiers: [['second/unpriced']] },
      slow: { tiers: [[{ endpoint: 'silent/m', price }]] },
    },
    settings: { direct_models: true, local_cooldown_max_ms: 0, retry_base_ms: 0 },
  }
  const gateway = await startGateway(config, {}, { clock, store, keys: keysOf(...CALLERS) })
  for (let index = 0; index < requests; index += 1) {
    const headers = as(CALLERS[(index * 7) % CALLERS.length] ?? '')
    const stream = index % 3 !== 0
    if (index % 29 === 0) await leave(gateway, { model: 'slow', stream: true }, headers)
    else await ask(gateway, { model: MODELS[index % MODELS.length], stream }, headers)
    // Bursts, within which nothing is written, and pauses.
    clock.pass(index % 5 === 0 ? 20 * MINUTE : SECOND)
  }
  // The last flush has to come long after the one before.
  await gateway.settled()
  clock.pass(MINUTE)
  await ask(gateway, { model: 'free' }, as('billing'))
  await gateway.settled()
  const lines = [...gateway.completed]
  await gateway.close()
  return lines
}
