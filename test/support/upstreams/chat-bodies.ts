import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import type { HttpAnswer } from './upstream-answer.ts'

type ChatOptions = {
  readonly model?: string
  /** The finish reason; null leaves a stream unfinished, without `[DONE]`. */
  readonly finish?: string | null
  /** Null: none is reported. */
  readonly usage?: JsonObject | null
}

const ID = 'chatcmpl-test'
const CREATED = 1_700_000_000

const usageOf = (completionTokens: number): JsonObject => ({
  prompt_tokens: 5,
  completion_tokens: completionTokens,
  total_tokens: 5 + completionTokens,
})

/** This many distinct texts of one word each. */
export function tokens(count: number): string[] {
  return Array.from({ length: count }, (_, position) => `word${position} `)
}

/** One event of a stream on the wire. */
export function sseEvent(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** One chunk of a chat stream, with a single choice. */
export function chatChunk(delta: JsonObject, finish: string | null = null, model = 'm'): JsonObject {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return { id: ID, object: 'chat.completion.chunk', created: CREATED, model, choices }
}

/** A well-behaved stream of these texts: role, texts, finish, usage, `[DONE]`; one network write each. */
export function chatStream(texts: readonly string[], options: ChatOptions = {}): HttpAnswer {
  const { model = 'm', finish = 'stop', usage = usageOf(texts.length) } = options
  const chunks = [
    chatChunk({ role: 'assistant', content: '' }, null, model),
    ...texts.map(content => chatChunk({ content }, null, model)),
    ...(finish === null ? [] : [chatChunk({}, finish, model)]),
    ...(finish === null || usage === null ? [] : [{ ...chatChunk({}, null, model), choices: [], usage }]),
  ]
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    chunks: [...chunks.map(sseEvent), ...(finish === null ? [] : ['data: [DONE]\n\n'])],
  }
}

/** A well-behaved whole answer. */
export function chatCompletion(content: string, options: ChatOptions = {}): HttpAnswer {
  const { model = 'm', finish = 'stop', usage = usageOf(1) } = options
  const message = { role: 'assistant', content, refusal: null }
  return {
    status: 200,
    body: {
      id: ID,
      object: 'chat.completion',
      created: CREATED,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      ...(usage === null ? {} : { usage }),
    },
  }
}

/** An error in OpenAI's shape. */
export function errorAnswer(
  status: number,
  error: { message?: string; type?: string; code?: string | null },
  headers: Record<string, string> = {},
): HttpAnswer {
  const { message = 'The upstream failed.', type = 'server_error', code = null } = error
  return { status, headers, body: { error: { message, type, param: null, code } } }
}
