import { type CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import { STACK_OUTPUTS } from '../../../lambdas/contract.ts'
import { CommandError } from '../../terminal/command-error.ts'

/** What `--stack` names: a stack, and after a slash one of several gateways in it. */
export function splitStackName(name: string): { stack: string; gateway: string | null } {
  const [stack = '', gateway = null] = name.split('/', 2)
  return { stack, gateway }
}

/** The gateways of a stack by what their outputs begin with, which is nothing where the stack is one gateway. */
export const gatewaysOf = (outputs: ReadonlySet<string | undefined>): string[] =>
  [...outputs].flatMap(key => {
    if (!key?.endsWith(STACK_OUTPUTS.secret)) return []
    const prefix = key.slice(0, -STACK_OUTPUTS.secret.length)
    const isWhole = [STACK_OUTPUTS.table, STACK_OUTPUTS.probe].every(name => outputs.has(`${prefix}${name}`))
    return isWhole ? [prefix] : []
  })

/** As `--stack` takes it. */
export const gatewayName = (stack: string, prefix: string): string =>
  prefix === '' ? stack : `${stack}/${prefix}`

/** What the outputs of the gateway begin with that a name means. Throws where it means none, or one of several. */
export function gatewayPrefix(name: string, outputs: ReadonlySet<string | undefined>): string {
  const { stack, gateway } = splitStackName(name)
  const found = gatewaysOf(outputs)
  const names = found.map(prefix => gatewayName(stack, prefix)).toSorted()
  if (gateway !== null) {
    if (found.includes(gateway)) return gateway
    const others = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`
    throw new CommandError(`The stack '${stack}' has no gateway '${gateway}'. ${others}`)
  }
  if (found.length <= 1 || found.includes('')) return found.includes('') ? '' : (found[0] ?? '')
  throw new CommandError(`The stack '${stack}' has several gateways. Name one of them: ${names.join(', ')}.`)
}

/** Of a hundred stacks each. */
const MOST_PAGES = 10

const keysOf = ({ Outputs = [] }: Stack): Set<string | undefined> =>
  new Set(Outputs.map(({ OutputKey }) => OutputKey))

/** Whether nothing tells that Backstop has made a stack. */
export const lacksAllOutputs = (stack: Stack): boolean => {
  const keys = keysOf(stack)
  return gatewaysOf(keys).length === 0 && !Object.values(STACK_OUTPUTS).some(name => keys.has(name))
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
        const { StackName = '' } = stack
        found.push(...gatewaysOf(keysOf(stack)).map(prefix => gatewayName(StackName, prefix)))
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
