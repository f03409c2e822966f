import { closedPort } from '../../support/upstreams/closed-port.ts'
import { chatStream, errorAnswer, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

/** Six ways of being broken before anything was said. */
export const BROKEN: readonly { name: string; answer: UpstreamAnswer }[] = [
  { name: 'is limited', answer: errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' }) },
  { name: 'is overloaded', answer: errorAnswer(503, { message: 'The model is overloaded.' }) },
  {
    name: 'refuses the key',
    answer: errorAnswer(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
  },
  { name: 'is cut before it says anything', answer: { fault: 'reset-before-headers' } },
  {
    name: 'fails in its stream',
    answer: {
      status: 200,
      chunks: [sseEvent({ error: { message: 'Backend lost.', type: 'server_error' } })],
    },
  },
  { name: 'says nothing at all', answer: chatStream([]) },
]

export type BrokenChainOptions = {
  /** Of the first endpoint; by default it is not there at all. */
  first?: readonly UpstreamAnswer[]
  /** Of the second endpoint, call by call. */
  second: readonly UpstreamAnswer[]
  configuration?: Record<string, unknown>
}

/** A chain of two endpoints, the first of which is broken, behind a real gateway. */
export async function startBrokenChain({ first, second }: BrokenChainOptions) {
  const upstream = first ? await startUpstream(first) : null
  const backup = await startUpstream(second)
  const primary = upstream?.url ?? `http://127.0.0.1:${await closedPort()}/v1`
  const urls = { primary, backup: backup.url }
  // One attempt for each of the two tiers: nothing is waited out.
  const settings = { retry_max_attempts: 2 }
  const gateway = await startGateway(configOf(urls, [['primary/m'], ['backup/backup']], settings))
  return {
    gateway,
    upstream,
    backup,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream?.close()
      await backup.close()
    },
  }
}
