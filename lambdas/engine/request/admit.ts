import type { ChatRequest } from '../../core/chat-request.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { keyAtEndpoint, keysAt } from '../../core/quota/quota-mark.ts'
import type { Plan } from '../../core/routing/plan.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { mostOutputTokens } from '../../core/tokens/estimate-output-tokens.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { Admission } from '../quotas/quotas.ts'

/** What was taken of the quotas of a plan's first candidate. */
export type Admitted = Exclude<Admission, { spentUntil: number }>

/** Few answers are as long as they may be. */
const USUAL_OUTPUT_TOKENS = 1_000

/** What a request takes of a limit of tokens, before anybody knows. */
export const expectedTokens = ({ promptTokens, body }: ChatRequest): number =>
  promptTokens + Math.min(USUAL_OUTPUT_TOKENS, mostOutputTokens(body))

/** A picture in which an endpoint is spent, whatever its key: for this request, which may cost more than others. */
function withSpent(snapshot: Snapshot, endpoint: Endpoint, spentUntil: number): Snapshot {
  const spent = keysAt(endpoint, snapshot).map(
    key => [keyAtEndpoint(endpoint, key), { headroom: 0, spentUntil }] as const,
  )
  return { ...snapshot, quotas: new Map([...snapshot.quotas, ...spent]) }
}

/** Takes what the first candidate of a plan costs; where that is not left, a picture in which it is spent. */
export async function admitFirst(
  { candidates: [first] }: Plan,
  request: ChatRequest,
  snapshot: Snapshot,
  { quotas }: Pick<FleetMemory, 'quotas'>,
): Promise<{ admitted: Admitted | null } | { snapshot: Snapshot }> {
  // Behind a breaker that is not closed the trial is won first.
  if (!first || first.trial.length > 0) return { admitted: null }
  const admission = await quotas.admit(first.endpoint, first.keys, expectedTokens(request))
  return 'spentUntil' in admission
    ? { snapshot: withSpent(snapshot, first.endpoint, admission.spentUntil) }
    : { admitted: admission }
}
