import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { STACK_OUTPUTS } from '../../../lambdas/contract.ts'
import { awsError } from './aws-error.ts'
import { openAwsSession, type AwsSession } from './aws-session.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { callsAbout, type CommandCall } from './command-call.ts'
import type { FleetChoice } from './fleet-options.ts'
import { gatewayPrefix, lacksAllOutputs, otherStacks, splitStackName } from './stack-gateways.ts'
import { notDeployed, stackNotice } from './stack-status.ts'

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
  const client = new CloudFormationClient(session)
  try {
    const stack = await describe(client, splitStackName(name).stack, session)
    const { StackStatus: status = 'unknown', Outputs = [] } = stack
    const outputs = new Map(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
    // A first deploy that runs, or that was rolled back, has none.
    const reason = notDeployed(status, outputs.size)
    if (reason !== null)
      throw new CommandError(`The stack '${name}' in ${session.region} ${reason} (${status}).`)
    if (lacksAllOutputs(stack))
      throw new CommandError(
        `The stack '${name}' in ${session.region} is not one of Backstop: it has none of the outputs ` +
          `${Object.values(STACK_OUTPUTS).join(', ')}.${await otherStacks(client, name, session.region)}`,
      )
    const prefix = gatewayPrefix(name, new Set(outputs.keys()))
    const notice = stackNotice(name, status)
    if (notice !== null) process.stderr.write(`${notice}\n`)
    return {
      name,
      session,
      call: callsAbout({ stack: name, profile, region }),
      output(wanted) {
        const value = outputs.get(`${prefix}${STACK_OUTPUTS[wanted]}`)
        if (value) return value
        throw new CommandError(
          `The stack '${name}' has no output ${prefix}${STACK_OUTPUTS[wanted]}: an older version of Backstop made it. ` +
            'Deploy it again: npx cdk deploy',
        )
      },
    }
  } finally {
    client.destroy()
  }
}

async function describe(client: CloudFormationClient, name: string, session: AwsSession): Promise<Stack> {
  const { region } = session
  const missing = async (cause?: unknown): Promise<CommandError> =>
    new CommandError(
      `There is no stack '${name}' in ${region}, in the account of these credentials.` +
        (await otherStacks(client, name, region)),
      { cause },
    )
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
    const [stack] = Stacks
    if (stack) return stack
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') {
      // It says the same of a name that no stack can have.
      if (/does not exist/i.test(error.message)) throw await missing(error)
      throw new CommandError(`'${name}' cannot be the name of a stack: ${error.message}`, { cause: error })
    }
    throw awsError(error, {
      what: `describing the stack '${name}'`,
      action: 'cloudformation:DescribeStacks',
      ...session,
    })
  }
  throw await missing()
}
