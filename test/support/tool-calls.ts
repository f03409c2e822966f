import type { JsonObject } from '../../lambdas/core/json.ts'
import { chatChunk, sseEvent } from './upstreams/chat-bodies.ts'
import type { HttpAnswer } from './upstreams/upstream-answer.ts'

/** Two calls at once. */
export const CALLS = [
  { id: 'call_rome', name: 'weather', arguments: '{"city":"Rome"}' },
  { id: 'call_bern', name: 'weather', arguments: '{"city":"Bern"}' },
] as const

const fullCalls = CALLS.map(({ id, ...call }): JsonObject => ({
  id,
  type: 'function',
  function: { ...call },
}))

/** A stream of these chunks, ended by `[DONE]`. */
export function streamOf(chunks: readonly JsonObject[]): HttpAnswer {
  return { status: 200, chunks: [...chunks.map(sseEvent), 'data: [DONE]\n\n'] }
}

/** As some hosts stream the calls: without an index, the arguments in pieces, and `stop` at the end. */
export function indexlessToolStream(): HttpAnswer {
  const deltas = CALLS.flatMap(({ id, name, arguments: text }): JsonObject[] => [
    { tool_calls: [{ id, type: 'function', function: { name, arguments: '' } }] },
    { tool_calls: [{ function: { arguments: text.slice(0, 6) } }] },
    { tool_calls: [{ function: { arguments: text.slice(6) } }] },
  ])
  const chunks = deltas.map(delta => chatChunk(delta))
  return streamOf([chatChunk({ role: 'assistant', content: null }), ...chunks, chatChunk({}, 'stop')])
}

/** The same calls in one piece, although a stream was asked for. */
export function wholeToolCalls(): HttpAnswer {
  const message = { role: 'assistant', content: null, refusal: null, tool_calls: fullCalls }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }]
  return {
    status: 200,
    body: { id: 'chatcmpl-test', object: 'chat.completion', created: 1_700_000_000, model: 'm', choices },
  }
}
