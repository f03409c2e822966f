import type { Usage } from '../../core/answers/usage.ts'
import type { Consumed } from '../../core/callers/usage-counts.ts'
import { estimatedUsage } from '../../core/tokens/retry-tokens.ts'
import type { AnsweredRun, PlanResult } from './run-plan.ts'

/** The tokens of an answer, by estimate where it ended before anybody counted. */
export function answerUsage({ answer }: AnsweredRun, promptTokens: number): Usage {
  const { usage, outputEvents } = answer.reader.progress
  return usage ?? estimatedUsage(promptTokens, outputEvents)
}

/** What a request has used, in the end. */
export function consumedBy(result: PlanResult, promptTokens: number): Consumed {
  if (result.kind === 'failed') return { promptTokens: 0, completionTokens: 0, priced: true }
  const { promptTokens: prompt, completionTokens, dollars } = answerUsage(result, promptTokens)
  const priced = dollars !== undefined || result.served.endpoint.price !== null
  return { promptTokens: prompt, completionTokens, priced }
}
