import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { ResponseEnding } from './events/response-ending.ts'

/** What is known of an answer before it says anything. */
export type ResponseHead = {
  id: string
  /** Epoch seconds. */
  createdAt: number
  model: string
  /** The client's body, which answers of this API repeat. */
  native: JsonObject
}

export type ResponseState = { output: readonly JsonObject[]; usage: JsonObject | null } & (
  ResponseEnding | { status: 'in_progress'; error: null; incomplete_details: null }
)

const IN_PROGRESS = { status: 'in_progress', error: null, incomplete_details: null } as const

const given = (value: Json | undefined, otherwise: Json): Json => value ?? otherwise

/** The state of an answer that has just begun. */
export const BEGUN: ResponseState = { ...IN_PROGRESS, output: [], usage: null }

/** The object that stands for an answer, with every field that the API promises. */
export function responseObject(head: ResponseHead, { output, usage, ...ending }: ResponseState): JsonObject {
  const { native } = head
  const reasoning = isJsonObject(native.reasoning) ? native.reasoning : {}
  const text = isJsonObject(native.text) ? native.text : {}
  return {
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    ...ending,
    background: false,
    instructions: given(native.instructions, null),
    max_output_tokens: given(native.max_output_tokens, null),
    max_tool_calls: given(native.max_tool_calls, null),
    metadata: given(native.metadata, {}),
    model: head.model,
    output,
    parallel_tool_calls: given(native.parallel_tool_calls, true),
    previous_response_id: null,
    prompt_cache_key: given(native.prompt_cache_key, null),
    reasoning: { effort: given(reasoning.effort, null), summary: given(reasoning.summary, null) },
    safety_identifier: given(native.safety_identifier, null),
    service_tier: given(native.service_tier, 'auto'),
    // Whatever the client asked for, nobody holds this answer for later.
    store: false,
    temperature: given(native.temperature, 1),
    text: { ...text, format: given(text.format, { type: 'text' }) },
    tool_choice: given(native.tool_choice, 'auto'),
    tools: given(native.tools, []),
    top_logprobs: given(native.top_logprobs, 0),
    top_p: given(native.top_p, 1),
    truncation: 'disabled',
    usage,
    user: given(native.user, null),
  }
}
