import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { answerItem } from './events/answer-item.ts'
import { answerPieces } from './events/answer-pieces.ts'
import type { AnswerContext } from './answer-context.ts'
import { endingOf } from './events/response-ending.ts'
import { responseObject } from './response-object.ts'
import { responseUsage } from './response-usage.ts'

/** One chat completion as the answer of a request that was not streamed. */
export function wholeResponse(completion: JsonObject, context: AnswerContext): JsonObject {
  const { choices, usage } = completion
  const [first] = Array.isArray(choices) ? choices : []
  const choice = isJsonObject(first) ? first : {}
  const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
  const ending = endingOf(finish, context.ways)
  const pieces = answerPieces(choice, context.table, context.ways)
  const output = pieces.map((piece, place) => {
    const isLast = place === pieces.length - 1
    const item = answerItem(piece, isLast && ending.status === 'incomplete' ? 'incomplete' : 'completed')
    return { id: context.keptItemId(item, place), ...item }
  })
  const told = responseUsage(usage, context.promptTokens, () => pieces.map(({ text }) => text))
  return responseObject(context.head, { ...ending, output, usage: told })
}
