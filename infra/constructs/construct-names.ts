import { Stack, Token } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { metricNamespaceOf } from '../../lambdas/contract.ts'

export type ConstructNames = {
  /** What outputs begin with; empty where the construct is the whole stack. */
  prefix: string
  /** What `--stack` of the commands takes. */
  reference: string
  /** Unique in its account and region. */
  unique: string
  /** Unique in its account: dashboards and costs have one list for all regions. */
  uniqueInAccount: string
}

/** CDK leaves this id out of logical ids: the construct is the whole stack. */
const WHOLE_STACK = 'Default'

/** Names in AWS are made of it. */
const STAGE = /^[a-z][a-z0-9-]{0,19}$/i

/** What CloudWatch takes; names that begin with `AWS/` are its own. */
const NAMESPACE = /^(?!AWS\/|:)[\w.\-/#: ]{1,255}$/

/** @throws where a stage, which may be known during the deploy only, cannot be a part of names. */
export function checkStage(stage: unknown, where: string): asserts stage is string {
  if (Token.isUnresolved(stage) || (typeof stage === 'string' && STAGE.test(stage))) return
  throw new Error(
    `${where}: expected a letter, then up to 19 letters, digits and dashes, got ${shown(stage)}.`,
  )
}

/**
 * Where the metrics of a gateway stand. Only a whole stack has its stage's name alone: in a namespace of two
 * gateways, the requests of one would keep the alarms of the other silent.
 * @throws where CloudWatch would refuse it.
 */
export function namespaceFor(
  { prefix, unique }: ConstructNames,
  { stage, metricNamespace }: { stage?: string; metricNamespace?: string },
): string {
  const own = stage === undefined ? unique : prefix === '' ? stage : `${stage}/${unique}`
  const namespace = metricNamespace ?? metricNamespaceOf(own)
  if (Token.isUnresolved(namespace) || NAMESPACE.test(namespace)) return namespace
  throw new Error(
    `Backstop: expected a metricNamespace of at most 255 letters, digits, spaces and . - _ / # : that does not ` +
      `begin with "AWS/" or a colon, got ${shown(namespace)}.`,
  )
}

/** A wrong value, for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return 'an object'
  return (typeof value === 'string' ? JSON.stringify(value) : String(value)).slice(0, 80)
}

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
    uniqueInAccount: `${unique}-${stack.region}`,
  }
}
