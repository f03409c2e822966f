import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { ask } from '../../support/ask.ts'
import {
  configOf,
  createWorld,
  startGateway,
  type TestGateway,
  type World,
} from '../../support/start-gateway.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

/** An answer that begins so late. */
export const after = (firstChunkDelayMs: number): UpstreamAnswer => ({
  ...chatStream(['ok']),
  firstChunkDelayMs,
})

/** `keysOfA`: the first provider wants one of these keys. */
type Surroundings = { replica?: object; world?: World; keysOfA?: string }

/** Starts replicas of one model under the alias `chat`, in virtual time; they end with the test. */
export function replicaStarter() {
  const open = endAfterEach()
  return async function startReplicas(
    scripts: Readonly<Record<string, UpstreamScript>>,
    alias: object,
    settings: Record<string, unknown> = {},
    { replica = {}, world = createWorld(), keysOfA }: Surroundings = {},
  ) {
    const upstreams = Object.fromEntries(
      await Promise.all(
        Object.entries(scripts).map(
          async ([name, script]) => [name, open(await startUpstream(script, world))] as const,
        ),
      ),
    )
    const urls = Object.fromEntries(Object.entries(upstreams).map(([name, { url }]) => [name, url]))
    const price = { input: 1, output: 1 }
    const tier = Object.keys(scripts).map(name => ({ endpoint: `${name}/m`, price, ...replica }))
    const { providers } = configOf(urls, [])
    const keyed = keysOfA === undefined ? {} : { a: { baseUrl: urls['a'] } }
    const models = { chat: { tiers: [tier], ...alias } }
    const config = { providers: { ...providers, ...keyed }, models, settings }
    const variables: Record<string, string> = keysOfA === undefined ? {} : { A_API_KEY: keysOfA }
    const gateway = open(await startGateway(config, variables, world))
    return { ...world, upstreams, gateway }
  }
}

/** How a request ended, and how long which call took. */
export async function chainOf(
  gateway: TestGateway,
  body: object = { stream: true },
  headers = {},
): Promise<string> {
  const answer = await ask(gateway, body, headers)
  await gateway.settled()
  const { outcome, attempts } = gateway.completed.at(-1) ?? { attempts: [] }
  const hops = attempts.map(({ endpoint, outcome: how, durationMs }) => `${endpoint} ${how} ${durationMs}`)
  return `${outcome} ${answer.done || answer.status === 200}: ${hops.join(' > ')}`
}

/** The gateway has seen so many requests that some may be hedged. */
export async function warm(gateway: TestGateway, requests = 20): Promise<void> {
  for (let request = 0; request < requests; request += 1) await ask(gateway, { stream: true })
}
