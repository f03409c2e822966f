import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import { STACK_OUTPUTS } from '../../../lambdas/contract.ts'

/** Of a hundred stacks each. */
const MOST_PAGES = 10

const OURS: readonly string[] = [STACK_OUTPUTS.secret, STACK_OUTPUTS.table, STACK_OUTPUTS.probe]

const keysOf = ({ Outputs = [] }: Stack): Set<string | undefined> =>
  new Set(Outputs.map(({ OutputKey }) => OutputKey))

/** Whether nothing tells that Backstop has made a stack. */
export const lacksAllOutputs = (stack: Stack): boolean => {
  const keys = keysOf(stack)
  return !Object.values(STACK_OUTPUTS).some(name => keys.has(name))
}

/** Which stack may have been meant: a sentence, with a space before it; empty where the region cannot be listed. */
export async function otherStacks(
  client: CloudFormationClient,
  name: string,
  region: string,
): Promise<string> {
  const found: string[] = []
  try {
    let NextToken: string | undefined
    for (let pages = 0; pages === 0 || (NextToken && pages < MOST_PAGES); pages++) {
      const page = await client.send(new DescribeStacksCommand(NextToken ? { NextToken } : {}))
      for (const stack of page.Stacks ?? []) {
        const keys = keysOf(stack)
        if (OURS.every(output => keys.has(output))) found.push(stack.StackName ?? '')
      }
      ;({ NextToken } = page)
    }
  } catch {
    // Who may describe one stack may not describe all.
    return ' Check the name, the region and the account.'
  }
  if (found.length === 0)
    return ` No stack of Backstop is in ${region}. Name another region with --region, or another account with --profile.`
  return `${didYouMean(name, found)} Stacks of Backstop in ${region}: ${found.toSorted().join(', ')}.`
}
