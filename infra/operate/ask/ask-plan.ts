import * as z from 'zod/mini'
import { REQUEST_HEADERS } from '../../../lambdas/contract.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { type Paint, printable } from '../../terminal/paint.ts'
import { callGateway, readError } from '../fleet/call-gateway.ts'
import type { GatewayAddress } from '../fleet/gateway-address.ts'
import { checkAnswer } from '../fleet/read-answer.ts'
import type { Question } from './ask-gateway.ts'

const planSchema = z.object({
  model: z.string(),
  prompt_tokens_estimate: z.number(),
  candidates: z.array(z.object({ endpoint: z.string(), tier: z.number(), health: z.string() })),
  skipped: z.array(
    z.object({ endpoint: z.string(), tier: z.number(), reason: z.string(), seconds: z.nullable(z.number()) }),
  ),
})

/** Asks for the plan of a question, which calls no endpoint, and tells it as lines for people. */
export async function planLines(
  address: GatewayAddress,
  { turns, system, model, surface, signal }: Question,
  paint: Paint,
): Promise<string[]> {
  const response = await callGateway(address, surface.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [REQUEST_HEADERS.dryRun]: '1' },
    body: JSON.stringify(surface.body(model, turns, system)),
    signal,
  })
  if (!response.ok) throw new CommandError(await readError(response))
  const plan = checkAnswer(planSchema, await response.json(), 'The plan')
  const called = plan.candidates.map(({ endpoint, tier, health }, index) => {
    const note = health === 'healthy' ? '' : `  (${printable(health)})`
    return `  ${index + 1}. tier ${tier}  ${printable(endpoint)}${paint('dim', note)}`
  })
  const skipped = plan.skipped.map(({ endpoint, tier, reason, seconds }) => {
    const until = seconds === null ? '' : `, ${seconds} s to go`
    return `  tier ${tier}  ${printable(endpoint)}: ${printable(reason)}${until}`
  })
  return [
    `${paint('bold', printable(plan.model))}  dry run: no endpoint was called; about ${plan.prompt_tokens_estimate} tokens in`,
    '',
    ...(called.length === 0 ? ['  no endpoint could be called'] : called),
    ...(skipped.length === 0 ? [] : ['', paint('bold', 'Skipped'), ...skipped]),
  ]
}
