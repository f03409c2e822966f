import type { VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

/** How a provider limits one key: 20 requests in each minute of its clock, 20 that come back one by one, or two at a time. */
export type LimitKind = 'window' | 'bucket' | 'concurrency'

/** What it tells of that: the configuration states it (nothing), headers do, or refusals alone. */
export type Telling = 'declared' | 'headers' | 'nothing'

export const LIMIT = 20
export const SLOTS = 2
export const MINUTE_MS = 60_000
const REFILL_MS = MINUTE_MS / LIMIT

type Verdict = { admitted: boolean; remaining: number; resetMs: number }

export type LimitedUpstream = {
  upstream: ScriptedUpstream
  /** When each call came, by key, and whether it was admitted. */
  calls: readonly { at: number; key: string; admitted: boolean }[]
  /** Milliseconds in which slots were taken. */
  busyMs(): number
}

/** Decides on one call of a key, as this kind of limit does. */
function createLimiter(kind: LimitKind, now: () => number): () => Verdict {
  let minute = 0
  let used = 0
  let tokens = LIMIT
  let refilledAt = now()
  return () => {
    const at = now()
    if (kind === 'window') {
      // Not the minute of everybody's clock.
      const current = Math.floor((at + 17_000) / MINUTE_MS)
      if (current !== minute) [minute, used] = [current, 0]
      const admitted = used < LIMIT
      if (admitted) used += 1
      return { admitted, remaining: LIMIT - used, resetMs: (current + 1) * MINUTE_MS - 17_000 - at }
    }
    tokens = Math.min(LIMIT, tokens + (at - refilledAt) / REFILL_MS)
    refilledAt = at
    const admitted = tokens >= 1
    if (admitted) tokens -= 1
    return { admitted, remaining: Math.floor(tokens), resetMs: (LIMIT - tokens) * REFILL_MS }
  }
}

function headersOf(telling: Telling, { remaining, resetMs }: Verdict): Record<string, string> {
  return telling === 'headers'
    ? {
        'x-ratelimit-limit-requests': String(LIMIT),
        'x-ratelimit-remaining-requests': String(remaining),
        'x-ratelimit-reset-requests': `${(resetMs / 1_000).toFixed(3)}s`,
      }
    : {}
}

/** A provider with such a limit on each key, in virtual time. */
export async function startLimitedUpstream(
  kind: LimitKind,
  telling: Telling,
  { clock, takesMs }: { clock: VirtualClock; takesMs: number },
): Promise<LimitedUpstream> {
  const limiters = new Map<string, () => Verdict>()
  const running = new Map<string, number>()
  const calls: { at: number; key: string; admitted: boolean }[] = []
  let busyMs = 0

  function limiterOf(key: string): () => Verdict {
    const known = limiters.get(key) ?? createLimiter(kind, clock.now)
    limiters.set(key, known)
    return known
  }

  async function atATime(key: string): Promise<UpstreamAnswer> {
    const before = running.get(key) ?? 0
    const admitted = before < SLOTS
    calls.push({ at: clock.now(), key, admitted })
    if (!admitted) return errorAnswer(429, { message: 'Too many concurrent requests.' })
    running.set(key, before + 1)
    await clock.sleep(takesMs, new AbortController().signal)
    running.set(key, (running.get(key) ?? 1) - 1)
    busyMs += takesMs
    return chatStream(['here'])
  }

  const upstream = await startUpstream(
    async ({ headers }) => {
      const key = String(headers['authorization'] ?? '')
      if (kind === 'concurrency') return atATime(key)
      const verdict = limiterOf(key)()
      calls.push({ at: clock.now(), key, admitted: verdict.admitted })
      const told = headersOf(telling, verdict)
      if (!verdict.admitted)
        return {
          ...errorAnswer(429, { message: 'Too many requests.' }),
          headers: { 'content-type': 'application/json', ...told },
        }
      const answer = chatStream(['here'])
      return { headersDelayMs: takesMs, ...answer, headers: { ...answer.headers, ...told } }
    },
    { clock },
  )
  return { upstream, calls, busyMs: () => busyMs }
}
