import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { STACK_OUTPUTS } from '../../../lambdas/contract.ts'
import { awsError } from './aws-error.ts'
import { openAwsSession, type AwsSession } from './aws-session.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { callsAbout, type CommandCall } from './command-call.ts'
import type { FleetChoice } from './fleet-options.ts'

/** A deployed gateway, as the outputs of its stack describe it. */
export type FoundStack = {
  name: string
  session: AwsSession
  /** How commands are called about it. */
  call: CommandCall
  /** What an output says. Throws where the stack has none of that name. */
  output(name: keyof typeof STACK_OUTPUTS): string
}

/** Finds a stack by its name, in the account and region that the choice and the environment say. */
export async function findStack(
  { stack: name = '', profile, region }: FleetChoice,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<FoundStack> {
  const session = await openAwsSession({ profile, region }, variables)
  const { StackStatus: status = 'unknown', Outputs = [] } = await describe(name, session)
  const outputs = new Map(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  // A first deploy that runs, or that was rolled back, has none.
  if (outputs.size === 0)
    throw new CommandError(
      `The stack '${name}' in ${session.region} is not deployed yet (${status}). Deploy it: npx cdk deploy`,
    )
  return {
    name,
    session,
    call: callsAbout({ stack: name, profile, region }),
    output(wanted) {
      const value = outputs.get(STACK_OUTPUTS[wanted])
      if (value) return value
      throw new CommandError(
        `The stack '${name}' has no output ${STACK_OUTPUTS[wanted]}: it is not a Backstop stack, or an older version. ` +
          'Deploy it again: npx cdk deploy',
      )
    },
  }
}

async function describe(name: string, session: AwsSession): Promise<Stack> {
  const { region, profile } = session
  const missing = `There is no stack '${name}' in ${region}. Check the name, the region and the account.`
  const client = new CloudFormationClient(session)
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
    const [stack] = Stacks
    if (stack) return stack
    throw new CommandError(missing)
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError')
      throw new CommandError(missing, { cause: error })
    throw awsError(error, { what: `describing the stack '${name}'`, region, profile })
  } finally {
    client.destroy()
  }
}
