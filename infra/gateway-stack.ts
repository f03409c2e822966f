import { Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { Backstop, type BackstopProps } from './backstop.ts'

export type GatewayStackProps = StackProps & BackstopProps

/** One gateway as a stack of its own. */
export class GatewayStack extends Stack {
  readonly backstop: Backstop

  constructor(scope: Construct, id: string, { config, stage, metricNamespace, ...props }: GatewayStackProps) {
    super(scope, id, props)
    // This id is left out of logical ids, so that the stack keeps what was deployed before there was the construct.
    this.backstop = new Backstop(this, 'Default', {
      config,
      ...(stage !== undefined && { stage }),
      ...(metricNamespace !== undefined && { metricNamespace }),
    })
  }
}
