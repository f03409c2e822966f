import type { ChatRequest } from '../../core/chat-request.ts'
import { secondsUntil } from '../../core/routing/describe-skip.ts'
import type { Plan } from '../../core/routing/plan.ts'
import { rankFields } from './rank-fields.ts'
import { jsonReply, type Reply } from './reply.ts'
import { routeHeaders } from './response-headers.ts'

/** A dry run: which endpoints would be called, in which order, and which would be skipped and why. */
export function planReply(request: ChatRequest, plan: Plan, now: number): Reply {
  const called = request.fallback ? plan.candidates : plan.candidates.slice(0, 1)
  const body = {
    object: 'backstop.plan',
    model: request.alias,
    prompt_tokens_estimate: request.promptTokens,
    needs: request.needs,
    candidates: called.map(({ endpoint, tier, suspect, sticky, rank, keys }) => ({
      endpoint: endpoint.name,
      tier: tier + 1,
      health: suspect ? 'suspect' : 'healthy',
      ...(sticky && { sticky }),
      ...(rank && { rank: rankFields(rank) }),
      keys: keys.length,
      context_window: endpoint.contextWindow,
    })),
    skipped: plan.skipped.map(({ endpoint, tier, reason, cause, param, until }) => ({
      endpoint: endpoint.name,
      tier: tier + 1,
      reason,
      cause,
      ...(param === undefined ? {} : { param }),
      seconds: secondsUntil(until, now),
    })),
  }
  return jsonReply(200, body, routeHeaders({ plan, trail: [], served: null, now }))
}
