import { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

export type ConstructNames = {
  /** What outputs begin with; empty where the construct is the whole stack. */
  prefix: string
  /** What `--stack` of the commands takes. */
  reference: string
  /** Unique in its account and region. */
  unique: string
  /** Unique in its account: dashboards have one list for all regions. */
  dashboard: string
}

/** CDK leaves this id out of logical ids: the construct is the whole stack. */
const WHOLE_STACK = 'Default'

/** The names of one gateway, which differ from those of another in the same stack. */
export function constructNames(construct: Construct): ConstructNames {
  const stack = Stack.of(construct)
  const prefix = construct.node.scopes
    .slice(stack.node.scopes.length)
    .map(({ node }) => node.id.replaceAll(/[^a-zA-Z0-9]/g, ''))
    .filter(id => id !== WHOLE_STACK)
    .join('')
  const unique = prefix === '' ? stack.stackName : `${stack.stackName}-${prefix}`
  return {
    prefix,
    reference: prefix === '' ? stack.stackName : `${stack.stackName}/${prefix}`,
    unique,
    dashboard: `${unique}-${stack.region}`,
  }
}
