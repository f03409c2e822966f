import { isJsonObject, type Json, type JsonObject } from '../../lambdas/core/json.ts'
import type { ApiName } from './voices.ts'
import { TOKENS } from './voices/words.ts'

/** What one answer shows, streamed or whole, in whatever API. */
export type Shown = {
  content: string
  model: string | null
  totalTokens: number | null
  /** It says that it came to its proper end. */
  finished: boolean
  /** The event came behind which there is none. */
  done: boolean
}

/** How the gateway is asked in one API, and how what it answers is read. */
export type AskedApi = {
  path: string
  body: JsonObject
  streamed: JsonObject
  /** @param last data of the last event */
  read(values: readonly JsonObject[], last: string): Shown
}

const QUESTION = [{ role: 'user', content: 'Count to sixty.' }]
/** A little more than an answer has: what is asked for whole may take no longer than so many take. */
const MOST_TOKENS = TOKENS + 4

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const objectAt = (value: Json | undefined, name: string): JsonObject => {
  const found = isJsonObject(value) ? value[name] : undefined
  return isJsonObject(found) ? found : {}
}
const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : []
const count = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null)
const lastOf = <Value>(values: readonly (Value | null)[]): Value | null =>
  values.findLast(value => value !== null) ?? null

const chat: AskedApi = {
  path: '/v1/chat/completions',
  body: { messages: QUESTION },
  streamed: { stream: true, stream_options: { include_usage: true } },
  read(values, last) {
    const choices = values.map(value => objectsIn(value.choices)[0] ?? {})
    const said = choices.map(choice => choice.delta ?? choice.message ?? {}).filter(isJsonObject)
    return {
      content: said.map(({ content }) => text(content)).join(''),
      model: lastOf(values.map(({ model }) => text(model) || null)),
      totalTokens: lastOf(values.map(value => count(objectAt(value, 'usage').total_tokens))),
      finished: choices.some(({ finish_reason: reason }) => reason === 'stop'),
      done: last === '[DONE]',
    }
  },
}

const isEnd = ({ type }: JsonObject): boolean =>
  type === 'response.completed' || type === 'response.incomplete'

const responses: AskedApi = {
  path: '/v1/responses',
  body: { input: QUESTION, store: false, max_output_tokens: MOST_TOKENS },
  streamed: { stream: true },
  read(values) {
    const states = values.map(value => (value.object === 'response' ? value : objectAt(value, 'response')))
    const deltas = values.map(({ type, delta }) => (type === 'response.output_text.delta' ? text(delta) : ''))
    const whole = objectsIn(values[0]?.output).flatMap(({ content }) => objectsIn(content))
    return {
      content: deltas.join('') + whole.map(part => text(part.text)).join(''),
      model: lastOf(states.map(({ model }) => text(model) || null)),
      totalTokens: lastOf(states.map(state => count(objectAt(state, 'usage').total_tokens))),
      finished: states.some(({ status }) => status === 'completed'),
      done: values.some(isEnd),
    }
  },
}

const messages: AskedApi = {
  path: '/v1/messages',
  body: { messages: QUESTION, max_tokens: MOST_TOKENS },
  streamed: { stream: true },
  read(values) {
    const heads = values.map(value => (value.type === 'message' ? value : objectAt(value, 'message')))
    const deltas = values.map(value => text(objectAt(value, 'delta').text))
    const usages = [...heads, ...values].map(value => objectAt(value, 'usage'))
    const input = lastOf(usages.map(usage => count(usage.input_tokens)))
    const output = lastOf(usages.map(usage => count(usage.output_tokens)))
    const stops = [...heads, ...values.map(value => objectAt(value, 'delta'))]
    return {
      content:
        deltas.join('') +
        objectsIn(values[0]?.content)
          .map(block => text(block.text))
          .join(''),
      model: lastOf(heads.map(({ model }) => text(model) || null)),
      totalTokens: input === null || output === null ? null : input + output,
      finished: stops.some(({ stop_reason: reason }) => reason === 'end_turn'),
      done: values.some(({ type }) => type === 'message_stop'),
    }
  },
}

export const ASKED_APIS: Readonly<Record<ApiName, AskedApi>> = { chat, responses, messages }
