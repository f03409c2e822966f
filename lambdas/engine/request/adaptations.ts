import { adaptedEndpoint, learnFrom, type Refusal } from '../../core/refusals.ts'
import { ownFieldsOf } from '../../core/health/client-fields.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { Candidate, Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'

/** Not remembered: only this request's stream was refused. */
const PLAINLY: Refusal = { what: 'stream' }

/** What one request has learned of its candidates, and how it calls them again. */
export type Adaptations = {
  /** The endpoint as it is to be called now: without what it has refused in this request. */
  endpointOf(index: number, candidate: Candidate): Endpoint
  /** Tells the fleet what was refused; true where the same endpoint can be called again without. */
  learn(index: number, endpoint: Endpoint, failure: Failure): boolean
}

export function createAdaptations(request: ChatRequest, memory: Pick<FleetMemory, 'refused'>): Adaptations {
  const adapted = new Map<number, Endpoint>()
  const isChoosing = ownFieldsOf(request.body) === 'choosing'
  return {
    endpointOf: (index, { endpoint }) => adapted.get(index) ?? endpoint,
    learn(index, endpoint, failure) {
      const learned = learnFrom(failure, request)
      // Fields with which the client chooses among hosts may be why: what such a host lacks says nothing of the others.
      const isOfOthers = isChoosing && learned?.what !== 'param' && learned?.what !== 'droppable'
      if (learned && !isOfOthers) memory.refused(endpoint, learned)
      const refusal = learned ?? (failure.mayAnswerPlainly && !failure.relayed ? PLAINLY : null)
      if (!refusal) return false
      const smaller = adaptedEndpoint(endpoint, refusal)
      if (smaller) adapted.set(index, smaller)
      return smaller !== null
    },
  }
}
