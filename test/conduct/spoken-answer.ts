import type { JsonObject } from '../../lambdas/core/json.ts'
import type { Call } from './raw-server.ts'
import type { Wire } from './wire.ts'

/** How many tokens a whole answer has. */
export const TOKENS = 60
const PROMPT_TOKENS = 12
const TOKEN_MS = 15

const CREATED = 1_700_000_000
const wordOf = (model: string, position: number): string => `${model}:${position} `

/** What a whole answer of this model reads: its words tell who said them, and whether one is missing. */
export const wholeAnswer = (model: string): string =>
  Array.from({ length: TOKENS }, (_, position) => wordOf(model, position)).join('')

export const USAGE = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: TOKENS,
  total_tokens: PROMPT_TOKENS + TOKENS,
} as const satisfies JsonObject

/** One event of a model's stream. */
export function chunkOf(model: string, delta: JsonObject, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return JSON.stringify({
    id: 'chatcmpl-conduct',
    object: 'chat.completion.chunk',
    created: CREATED,
    model,
    choices,
  })
}

/** Begins a stream: its head, and the role. */
export function begin(wire: Wire, model: string): void {
  wire.begin()
  wire.event(chunkOf(model, { role: 'assistant', content: '' }))
}

/** Says the tokens from one position up to another, at the speed of a fast model. */
export async function say(wire: Wire, model: string, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += 1) {
    wire.event(chunkOf(model, { content: wordOf(model, position) }))
    await wire.pause(TOKEN_MS)
  }
}

/** Finishes a stream, with usage where it was asked for, with or without the mark of its end. */
export function finish(wire: Wire, { model, body }: Call, mark = true): void {
  wire.event(chunkOf(model, {}, 'stop'))
  if (body.stream_options) {
    const usage = { ...JSON.parse(chunkOf(model, {})), choices: [], usage: USAGE }
    wire.event(JSON.stringify(usage))
  }
  if (mark) wire.event('[DONE]')
  wire.end()
}

/** A whole answer, streamed where that was asked for. */
export async function answerWell(wire: Wire, call: Call): Promise<void> {
  const { model, body } = call
  if (body.stream !== true) {
    const message = { role: 'assistant', content: wholeAnswer(model) }
    wire.json(200, {
      id: 'chatcmpl-conduct',
      object: 'chat.completion',
      created: CREATED,
      model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: USAGE,
    })
    return
  }
  begin(wire, model)
  await say(wire, model, 0, TOKENS)
  finish(wire, call)
}
