import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import type { UpstreamRequest } from './upstream-request.ts'

/** Decides the answer to one call; call numbers count from 1. */
export type AnswerScript = (
  request: UpstreamRequest,
  callNumber: number,
) => UpstreamAnswer | Promise<UpstreamAnswer>

/** By call number, the last one again and again; or that for each model, where any other model is not found. */
export type UpstreamScript =
  | AnswerScript
  | readonly UpstreamAnswer[]
  | { readonly [model: string]: AnswerScript | readonly UpstreamAnswer[] }

const notFound = (model: string): JsonObject => ({
  error: {
    message: `The model '${model}' does not exist or you do not have access to it.`,
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
})

/** One function of the request, which counts the calls itself. */
export function compileScript(
  script: UpstreamScript,
): (request: UpstreamRequest) => ReturnType<AnswerScript> {
  if (typeof script === 'function') {
    let calls = 0
    return request => script(request, ++calls)
  }
  if (isAnswerList(script)) {
    return compileScript((_, callNumber) => answerAt(script, callNumber))
  }
  const byModel = new Map(Object.entries(script).map(([model, part]) => [model, compileScript(part)]))
  return request => {
    const model = String(request.body.model)
    return byModel.get(model)?.(request) ?? { status: 404, body: notFound(model) }
  }
}

function isAnswerList(script: object): script is readonly UpstreamAnswer[] {
  return Array.isArray(script)
}

function answerAt(answers: readonly UpstreamAnswer[], callNumber: number): UpstreamAnswer {
  const answer = answers[callNumber - 1] ?? answers.at(-1)
  if (answer === undefined) throw new Error('the script holds no answer')
  return answer
}
