import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'

/**
 * A gateway whose alias `house` has two endpoints, by these scripts.
 * @param wires the first one's, beside the chat API
 */
export async function startChain(first: UpstreamScript, second: UpstreamScript, wires: object = {}) {
  const [one, two] = [await startUpstream(first), await startUpstream(second)]
  const gateway = await startGateway({
    providers: {
      one: { baseUrl: one.url, key: false, wires },
      two: { baseUrl: two.url, key: false },
    },
    models: { house: { tiers: [['one/m'], ['two/m']] } },
    settings: { retry_max_attempts: 2 },
  })
  return {
    gateway,
    /** What the gateway has served, when all of it is over. */
    async report() {
      await gateway.settled()
      return { completed: gateway.completed, headers: two.requests.map(({ headers }) => headers) }
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await one.close()
      await two.close()
    },
  }
}
