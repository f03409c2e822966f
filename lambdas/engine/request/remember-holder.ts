import type { ChatRequest } from '../../core/chat-request.ts'
import type { ResponseMemory } from '../memory/sessions/response-memory.ts'
import type { AnsweredRun } from './run-plan.ts'

/** Notes which endpoint and key hold the state behind an answer, where a later request may refer to it. */
export function rememberHolder(
  { caller, nativeCall }: ChatRequest,
  { answer: { isNative, reader }, served: { endpoint, key } }: AnsweredRun,
  responses: Pick<ResponseMemory, 'remember'>,
): void {
  const answerId = reader.answerId?.() ?? null
  if (!isNative || answerId === null || !nativeCall?.isStored) return
  if (endpoint.wires?.[nativeCall.api]?.stateful)
    responses.remember(caller, answerId, { endpoint: endpoint.id, key })
}
