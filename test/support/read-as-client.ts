import { isJsonObject, type Json, type JsonObject } from '../../lambdas/core/json.ts'
import type { Answer } from './ask.ts'

/** An answer as a plain client adds it up: names and arguments are appended, the last finish counts. */
export type ClientView = {
  content: string
  calls: readonly { id: string; type: string; name: string; arguments: string }[]
  role: Json | undefined
  finish: Json | undefined
  usage: Json | undefined
  /** Of the whole answer; empty where it was streamed. */
  completion: JsonObject
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function parse(text: string): JsonObject {
  const value: unknown = text === '[DONE]' ? {} : JSON.parse(text)
  if (!isJsonObject(value)) throw new Error(`the client got ${text.slice(0, 80)}`)
  return value
}

/** Reads the first choice, streamed or whole. Throws where the answer is not JSON. */
export function readAsClient({ events, text }: Pick<Answer, 'events' | 'text'>): ClientView {
  const streamed = events.length > 0
  const pieces = streamed ? events.map(parse) : [parse(text)]
  const calls = new Map<number, ClientView['calls'][number]>()
  const view = { content: '', role: undefined, finish: undefined, usage: undefined } as Omit<
    ClientView,
    'calls' | 'completion'
  >

  function addCall(call: Json, place: number): void {
    if (!isJsonObject(call)) return
    const index = typeof call.index === 'number' ? call.index : place
    const before = calls.get(index) ?? { id: '', type: '', name: '', arguments: '' }
    const body = isJsonObject(call.function) ? call.function : {}
    calls.set(index, {
      id: before.id || textOf(call.id),
      type: before.type || textOf(call.type),
      name: before.name + textOf(body.name),
      arguments: before.arguments + textOf(body.arguments),
    })
  }

  for (const { choices, usage } of pieces) {
    view.usage = usage ?? view.usage
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isJsonObject(choice) || choice.index !== 0) continue
      const message = streamed ? choice.delta : choice.message
      if (!isJsonObject(message)) throw new Error('the client got a choice without a message')
      view.content += textOf(message.content)
      view.role ??= message.role
      view.finish = choice.finish_reason ?? view.finish
      if (Array.isArray(message.tool_calls)) message.tool_calls.forEach(addCall)
    }
  }
  return { ...view, calls: [...calls.values()], completion: streamed ? {} : (pieces[0] ?? {}) }
}
