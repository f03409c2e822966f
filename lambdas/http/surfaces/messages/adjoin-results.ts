import { isJsonObject, type JsonObject } from '../../../core/json.ts'

const callIdsOf = ({ tool_calls: calls }: JsonObject): readonly unknown[] =>
  Array.isArray(calls) ? calls.filter(isJsonObject).map(({ id }) => id) : []

/**
 * Every result right behind the turn that made its call. Clients may say something between the results of one round,
 * which the Messages API allows and hosts of the chat API refuse.
 */
export function adjoinResults(messages: readonly JsonObject[]): readonly JsonObject[] {
  const groups: JsonObject[][] = []
  const groupOf = new Map<unknown, JsonObject[]>()
  for (const message of messages) {
    const callers = message.role === 'tool' ? groupOf.get(message.tool_call_id) : undefined
    if (callers) {
      callers.push(message)
      continue
    }
    const group = [message]
    groups.push(group)
    for (const id of callIdsOf(message)) groupOf.set(id, group)
  }
  return groups.flat()
}
