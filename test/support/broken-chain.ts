import { createVirtualClock } from './clocks/virtual-clock.ts'
import { closedPort } from './upstreams/closed-port.ts'
import { errorAnswer } from './upstreams/chat-bodies.ts'
import { startUpstream } from './upstreams/scripted-upstream.ts'
import { configOf, startGateway } from './start-gateway.ts'
import type { UpstreamAnswer } from './upstreams/upstream-answer.ts'

/** How an endpoint is broken before it has said anything, in whatever API it is called; null = it is not there at all. */
export type Broken = { name: string; answer: UpstreamAnswer | null }

export const BROKEN: readonly Broken[] = [
  { name: 'is limited', answer: errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' }) },
  { name: 'is overloaded', answer: errorAnswer(503, { message: 'The model is overloaded.' }) },
  { name: 'refuses the connection', answer: null },
  {
    name: 'answers with a web page',
    answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Hello</h1>' },
  },
  { name: 'is cut before output', answer: { status: 200, chunks: [': queued\n\n'], end: 'reset' } },
  { name: 'is silent', answer: { fault: 'no-response' } },
  { name: 'is over without output', answer: { status: 200, chunks: ['data: [DONE]\n\n'] } },
]

export type BrokenChainOptions = {
  /** Of the first endpoint; null or none: it is not there at all. */
  first?: readonly (UpstreamAnswer | null)[]
  /** Of the second endpoint, call by call: it speaks chat completions alone. */
  second: readonly UpstreamAnswer[]
  /** The first endpoint speaks what the client does. */
  isNative?: boolean
}

/** A chain of two endpoints, the first of which is broken, behind a real gateway in virtual time. */
export async function startBrokenChain({ first = [], second, isNative = false }: BrokenChainOptions) {
  const answers = first.filter(answer => answer !== null)
  const clock = createVirtualClock()
  const upstream = answers.length > 0 ? await startUpstream(answers, { clock }) : null
  const backup = await startUpstream(second)
  const primary = upstream?.url ?? `http://127.0.0.1:${await closedPort()}/v1`
  const urls = { primary, backup: backup.url }
  // One attempt for each of the two tiers: nothing is waited out.
  const settings = { retry_max_attempts: 2 }
  const config = configOf(urls, [['primary/m'], ['backup/backup']], settings)
  const wires = isNative ? { wires: { responses: {}, messages: {} } } : {}
  const providers = { ...config.providers, primary: { ...config.providers.primary, ...wires } }
  const gateway = await startGateway({ ...config, providers }, {}, { clock })
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
