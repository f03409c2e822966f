import { adaptedEndpoint, learnFrom, type Refusal } from '../../core/refusals/refusals.ts'
import { ownFieldsOf } from '../../core/health/client-fields.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { Candidate, Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { FailureKind } from '../../core/failures/kinds.ts'
import type { FleetMemory, NotedAttempt } from '../memory/fleet-memory.ts'
import { isNativeFor } from './native-attempt.ts'

/** Not remembered: only this request's stream was refused. */
const PLAINLY: Refusal = { what: 'stream' }

/** Refusals of how the request is written, of which another way of writing it may be free. */
const ABOUT_THE_FORM: ReadonlySet<FailureKind> = new Set([
  'bad_request',
  'unsupported_param',
  'unsupported_tools',
  'unsupported_modality',
])

/**
 * The endpoint as it is called over the chat API, where it has refused the request in the client's own: hosts know
 * fewer fields and betas of that API than its clients send. Null where only the client's API can serve the request.
 */
function translated(endpoint: Endpoint, request: ChatRequest, { kind, tryNext }: Failure): Endpoint | null {
  const { nativeCall } = request
  if (nativeCall === null || !isNativeFor(endpoint, request)) return null
  const { needs, follows } = nativeCall
  const isBound = needs.api !== null || needs.state !== null || follows !== null
  return isBound || !tryNext || !ABOUT_THE_FORM.has(kind) ? null : { ...endpoint, wires: {} }
}

/** Another way to say the same: whether the host meant it shows when it takes it. */
const isDialect = ({ what }: Refusal): boolean =>
  what === 'renamed' || what === 'joined_texts' || what === 'no_empty_texts'

/** What one request has learned of its candidates, and how it calls them again. */
export type Adaptations = {
  /** The endpoint as it is to be called now: without what it has refused in this request. */
  endpointOf(index: number, candidate: Candidate): Endpoint
  /** Tells the fleet what was refused; true where the same endpoint can be called again without. */
  learn(index: number, attempt: Pick<NotedAttempt, 'endpoint' | 'plainly'>, failure: Failure): boolean
  /** It answered as it was called: what was only understood from its refusals is true, and told to the fleet. */
  answered(index: number): void
}

export function createAdaptations(request: ChatRequest, memory: Pick<FleetMemory, 'refused'>): Adaptations {
  const adapted = new Map<number, Endpoint>()
  const understood = new Map<number, { endpoint: Endpoint; refusal: Refusal }[]>()
  const isChoosing = ownFieldsOf(request.body) === 'choosing'
  return {
    endpointOf: (index, { endpoint }) => adapted.get(index) ?? endpoint,
    learn(index, { endpoint, plainly = false }, failure) {
      const learned = learnFrom(failure, request)
      // Fields with which the client chooses among hosts may be why: what such a host lacks says nothing of the others.
      const isOfOthers = isChoosing && learned?.what !== 'param' && learned?.what !== 'droppable'
      if (learned && !isOfOthers) {
        if (isDialect(learned)) {
          understood.set(index, [...(understood.get(index) ?? []), { endpoint, refusal: learned }])
        } else memory.refused(endpoint, learned)
      }
      const refusal = learned ?? (failure.mayAnswerPlainly && !failure.relayed && !plainly ? PLAINLY : null)
      const smaller = refusal ? adaptedEndpoint(endpoint, refusal) : null
      const other = smaller ?? translated(endpoint, request, failure)
      if (other) adapted.set(index, other)
      return other !== null
    },
    answered(index) {
      for (const { endpoint, refusal } of understood.get(index) ?? []) memory.refused(endpoint, refusal)
    },
  }
}
