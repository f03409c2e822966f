import { isJsonObject } from '../../../../lambdas/core/json.ts'
import { DONE_EVENT, formatEvent } from '../../../../lambdas/sse/format-event.ts'
import type { SimulatedAnswer } from '../simulated-answer.ts'
import type { SimulatedWire, WireInput } from './simulated-wire.ts'

/** Where providers differ in what they send around the same answer. */
type WireHabits = { idPrefix: string; openingComment?: string; extras?: object; usageExtra?: 'x_groq' }

const OPENAI_HABITS: WireHabits = { idPrefix: 'chatcmpl-', extras: { system_fingerprint: 'fp_simulated' } }

const WIRE_HABITS: Readonly<Record<string, WireHabits>> = {
  openrouter: {
    idPrefix: 'gen-',
    openingComment: ': OPENROUTER PROCESSING\n\n',
    extras: { provider: 'Simulated' },
  },
  groq: { idPrefix: 'chatcmpl-', extras: { system_fingerprint: 'fp_simulated' }, usageExtra: 'x_groq' },
}

function completionBody(input: WireInput): object {
  const { answer } = input
  const message = answer.toolCall
    ? { role: 'assistant', content: null, tool_calls: [toolCallOf(answer.toolCall)] }
    : { role: 'assistant', content: answer.pieces.join('') }
  return {
    ...envelope(input, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: answer.finishReason }],
    usage: answer.usage,
  }
}

/** The role, then one event a token, or the whole tool call. */
function outputEvents(input: WireInput): string[] {
  const { answer } = input
  const deltas = answer.toolCall
    ? [{ tool_calls: [{ index: 0, ...toolCallOf(answer.toolCall) }] }]
    : answer.pieces.map(content => ({ content }))
  return [{ role: 'assistant', content: '' }, ...deltas].map(delta => chunk(input, delta, null))
}

/** Finish reason, usage if asked for, `[DONE]`. */
function closingEvents(input: WireInput): string[] {
  const { request, provider, answer } = input
  const options = request.stream_options
  const usageOnFinish = habitsOf(provider).usageExtra === 'x_groq' ? { x_groq: { usage: answer.usage } } : {}
  const events = [chunk(input, {}, answer.finishReason, usageOnFinish)]
  if (isJsonObject(options) && options.include_usage === true) {
    events.push(event({ ...envelope(input, 'chat.completion.chunk'), choices: [], usage: answer.usage }))
  }
  return [...events, DONE_EVENT]
}

const habitsOf = (provider: string): WireHabits => WIRE_HABITS[provider] ?? OPENAI_HABITS

const event = (data: object): string => formatEvent(JSON.stringify(data))

const envelope = ({ provider, model, now }: WireInput, object: string): object => ({
  id: `${habitsOf(provider).idPrefix}simulated-${now}`,
  object,
  created: Math.floor(now / 1_000),
  model,
  ...habitsOf(provider).extras,
})

const chunk = (input: WireInput, delta: object, finish: string | null, extras: object = {}): string =>
  event({
    ...envelope(input, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...extras,
  })

const toolCallOf = (call: NonNullable<SimulatedAnswer['toolCall']>): object => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
})

/** OpenAI's chat API, as each of the simulated providers speaks it. */
export const chatWire: SimulatedWire = {
  read: request => request,
  whole: completionBody,
  events: input => ({
    // Some providers send a comment while they queue.
    opening: [habitsOf(input.provider).openingComment ?? ''].filter(text => text !== ''),
    output: outputEvents(input),
    closing: closingEvents(input),
  }),
}
