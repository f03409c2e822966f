import type { ChatRequest } from '../../core/chat-request.ts'
import type { Candidate } from '../../core/endpoint.ts'
import { parseJsonObject } from '../../core/json.ts'
import { planChain } from '../../core/routing/plan.ts'
import type { Clock } from '../../platform/clock.ts'
import { nativeAttempt } from './native-attempt.ts'
import { readText } from './answer/response-body.ts'
import { beginRun, type Invocation, type RunTools } from './run.ts'
import { callUpstream, type Agents } from './upstream/call-upstream.ts'
import { createWatchdog } from './upstream/watchdog.ts'

export type CountTools = RunTools & { agents: Agents; clock: Clock }

/** An estimate is better than a number that comes late: agents count two dozen requests before they show anything. */
const PATIENCE_MS = 2_000
const MAX_BYTES = 64 * 1024

/** Where a request is counted that this URL answers. */
const countingUrl = (url: string): string => {
  const [path = '', ...query] = url.split('?')
  return [`${path}/count_tokens`, ...query].join('?')
}

/** The number that one endpoint counts; null where it tells none in time. Nothing is learned from it. */
async function countAt(
  { endpoint, keys: [key] }: Candidate,
  request: ChatRequest,
  client: AbortSignal,
  { agents, clock, keys }: CountTools,
): Promise<number | null> {
  const secret = key === undefined ? null : (keys.ring().secretOf(endpoint.provider, key) ?? null)
  const native = nativeAttempt(request, endpoint, secret, { unsealed: false, streams: false })
  if (!native) return null
  const watchdog = createWatchdog(client, clock)
  watchdog.arm(PATIENCE_MS, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
  try {
    const { url, headers } = native.target
    const call = { method: 'POST' as const, url: countingUrl(url), headers, body: Buffer.from(native.body) }
    const { signal } = watchdog
    const { status, body } = await callUpstream({ ...call, connectMs: PATIENCE_MS, signal }, agents, clock)
    const counted = parseJsonObject(await readText(body, MAX_BYTES))?.input_tokens
    body.destroy()
    return status === 200 && typeof counted === 'number' ? counted : null
  } catch {
    return null
  } finally {
    watchdog.release()
  }
}

/**
 * The tokens of a request as the first endpoint of its chain counts them that can; null where none does, or the chain
 * is not known.
 */
export async function countTokens(
  invocation: Invocation,
  request: ChatRequest,
  tools: CountTools,
): Promise<number | null> {
  try {
    const { chain, snapshot } = await beginRun(request, invocation, tools)
    const { candidates } = planChain(request, chain, snapshot, tools.clock.now())
    const able = candidates.find(({ endpoint }) => endpoint.wires?.messages?.countsTokens)
    return able ? await countAt(able, request, invocation.client, tools) : null
  } catch {
    // What is wrong with the request is told when it is sent.
    return null
  }
}
