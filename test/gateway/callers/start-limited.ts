import { ask } from '../../support/ask.ts'
import { createWorld, startGateway, type World } from '../../support/start-gateway.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { chatCompletion } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { as, keysOf } from './named-callers.ts'

/** 5 tokens in and 1 out, as the test upstreams count: 0.0002 dollars. */
const PRICE = { input: 20, output: 100 }

const limited = (upstream: ScriptedUpstream, clients: object) => ({
  providers: { up: { baseUrl: upstream.url, key: false } },
  models: {
    chat: { tiers: [[{ endpoint: 'up/m', price: PRICE }]] },
    vectors: { tiers: [['up/v']], kind: 'embeddings' },
  },
  clients,
  settings: { retry_base_ms: 0, retry_total_wait_ms: 0 },
})

const NAMES = ['app', 'other', 'third'] as const

const VECTORS = {
  status: 200,
  body: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.25] }],
    model: 'v',
    usage: { prompt_tokens: 3, total_tokens: 3 },
  },
}

/** A gateway over one upstream, with these limits for callers that are called `app`, `other` and `third`. */
export async function startLimited(
  clients: object,
  script: UpstreamScript = ({ body }) => (body.input === undefined ? chatCompletion('here') : VECTORS),
  world: World = createWorld(),
) {
  const upstream = await startUpstream(script, { clock: world.clock })
  const gateway = await startGateway(limited(upstream, clients), {}, { ...world, keys: keysOf(...NAMES) })
  return {
    ...world,
    upstream,
    gateway,
    ask: (body: object = {}, name = 'app') => ask(gateway, body, as(name)),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream.close()
    },
  }
}
