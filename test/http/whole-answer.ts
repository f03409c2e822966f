import type { ChatRequest } from '../../lambdas/core/chat-request.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'
import type { WholeAnswer } from '../../lambdas/engine/request/outcome.ts'
import { attemptRecord } from '../core/build.ts'

/** A whole answer from the first endpoint that was called. */
export function wholeAnswer(request: ChatRequest, completion: JsonObject): WholeAnswer {
  const served = attemptRecord('a/one', null)
  return {
    kind: 'whole',
    dollars: null,
    isNative: false,
    text: null,
    request,
    limits: [],
    plan: { candidates: [], skipped: [], lastResorts: [], degraded: false },
    trail: [served],
    served,
    completion,
    close: () => Promise.resolve(),
  }
}
