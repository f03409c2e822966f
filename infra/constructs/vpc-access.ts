import { Validations } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { DeployConfig } from '../../lambdas/config/gateway-config.ts'

/** What the platform does in the name of the role to connect a function to a network. */
const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
]

/** Runs a function in the subnets that the configuration names. */
export function joinNetwork(
  handler: LambdaFunction,
  { subnetIds, securityGroupIds }: NonNullable<DeployConfig['vpc']>,
): void {
  const { defaultChild } = handler.node
  // By ids alone: an imported network would want its zones, which nothing here needs to know.
  if (defaultChild instanceof CfnFunction) defaultChild.vpcConfig = { subnetIds, securityGroupIds }
  handler.addToRolePolicy(new PolicyStatement({ actions: NETWORK_ACTIONS, resources: ['*'] }))
  if (!handler.role) return
  Validations.of(handler.role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda creates the network interfaces under ids that nobody knows before, and the actions that list them take no resource.',
  })
}
