import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { Voice } from '../voices.ts'
import { CREATED, PROMPT_TOKENS, TOKENS, wholeAnswer, wordOf } from './words.ts'

const USAGE = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: TOKENS,
  total_tokens: PROMPT_TOKENS + TOKENS,
} as const satisfies JsonObject

const head = (model: string, object: string): JsonObject => ({
  id: 'chatcmpl-conduct',
  object,
  created: CREATED,
  model,
})

const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`

function chunkOf(model: string, delta: JsonObject, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return event({ ...head(model, 'chat.completion.chunk'), choices })
}

export const chatVoice: Voice = {
  beginning: model => [chunkOf(model, { role: 'assistant', content: '' })],
  token: (model, position) => chunkOf(model, { content: wordOf(model, position) }),
  end: (model, { mark, body }) => [
    chunkOf(model, {}, 'stop'),
    ...(body.stream_options
      ? [event({ ...head(model, 'chat.completion.chunk'), choices: [], usage: USAGE })]
      : []),
    ...(mark ? ['data: [DONE]\n\n'] : []),
  ],
  whole: model => ({
    ...head(model, 'chat.completion'),
    choices: [
      { index: 0, message: { role: 'assistant', content: wholeAnswer(model) }, finish_reason: 'stop' },
    ],
    usage: USAGE,
  }),
}
