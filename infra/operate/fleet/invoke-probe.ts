import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { ProbeEvent } from '../../../lambdas/compose/probe.ts'
import { parseJsonObject } from '../../../lambdas/core/json.ts'
import { awsError } from './aws-error.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { FoundStack } from './find-stack.ts'
import { type ProbeLine, probeReportSchema } from '../../local-contract.ts'
import { checkAnswer } from './read-answer.ts'
import { oneLine } from '../../terminal/paint.ts'

/** A pass may take two minutes. */
const PASS_MS = 130_000

/** Runs a probe pass in the stack's probe function, and waits for it. */
export async function invokeProbe(
  { session, output }: FoundStack,
  event: ProbeEvent,
): Promise<readonly ProbeLine[]> {
  const name = output('probe')
  const client = new LambdaClient({
    ...session,
    // Never twice: a probe is a request that costs money.
    maxAttempts: 1,
    requestHandler: { ...session.requestHandler, requestTimeout: PASS_MS },
  })
  try {
    const command = new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(event)) })
    const { FunctionError, Payload } = await client.send(command)
    const answer = parseJsonObject(Buffer.from(Payload ?? []).toString())
    if (FunctionError !== undefined)
      throw new CommandError(
        `The probe function failed: ${oneLine(String(answer?.['errorMessage'] ?? FunctionError))}`,
      )
    return checkAnswer(probeReportSchema, answer, `The answer of ${name}`).probes
  } catch (error) {
    throw awsError(error, { what: `invoking ${name}`, action: 'lambda:InvokeFunction', ...session })
  } finally {
    client.destroy()
  }
}
