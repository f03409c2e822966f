import { endpointKey } from '../../core/item-keys.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { upstreamTarget } from '../../providers/upstream-target.ts'
import type { AttemptTools } from '../request/attempt.ts'
import { callUpstream } from '../request/upstream/call-upstream.ts'
import { itemAt } from '../memory/change-item.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'

const ANSWER_MS = 3_000
const MAX_ASKED = 3

async function answersAnything(endpoint: Endpoint, { agents, clock }: AttemptTools): Promise<boolean> {
  const abort = new AbortController()
  const cancel = clock.after(ANSWER_MS, () => abort.abort(new Error('no answer in time')))
  // Without a key: any answer will do, and none costs anything.
  const target = upstreamTarget(endpoint, null, '/models')
  const call = { ...target, method: 'GET', body: Buffer.alloc(0) } as const
  try {
    const { body } = await callUpstream(
      { ...call, connectMs: ANSWER_MS, signal: abort.signal },
      agents,
      clock,
    )
    body.destroy()
    return true
  } catch {
    return false
  } finally {
    cancel()
  }
}

/**
 * Whether another provider answers, which proves that our own network works: a fleet without traffic must still find
 * out that a host is gone. Where there is no other provider to ask, the evidence speaks for itself.
 */
export async function othersAnswer(
  { endpoints, view, attempts }: MemoryTools & { attempts: AttemptTools },
  suspected: Endpoint,
): Promise<boolean> {
  const isIll = ({ id }: Endpoint): number => (itemAt(view.known(), 'endpoint', endpointKey(id)) ? 1 : 0)
  const others = endpoints
    .filter(
      ({ provider, baseUrl, probe }) =>
        probe !== false && provider !== suspected.provider && baseUrl !== suspected.baseUrl,
    )
    .toSorted((one, other) => isIll(one) - isIll(other))
  const ofEachProvider = new Map(others.toReversed().map(endpoint => [endpoint.provider, endpoint]))
  const asked = others.filter(other => ofEachProvider.get(other.provider) === other).slice(0, MAX_ASKED)
  for (const other of asked) if (await answersAnything(other, attempts)) return true
  return others.length === 0
}
