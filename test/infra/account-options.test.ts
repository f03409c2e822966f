import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { CONFIG, expectResource, synthesise } from './synthesise.ts'

type Resource = { Properties: Record<string, unknown>; DependsOn?: string[] }

const SUBNETS = ['subnet-0a1b2c3d4e5f60718', 'subnet-1a1b2c3d4e5f60718']
const vpc = { subnetIds: SUBNETS, securityGroupIds: ['sg-0a1b2c3d'] }
const plain = synthesise().template
const { template } = synthesise(
  {
    ...CONFIG,
    deploy: {
      vpc,
      tags: { team: 'search', 'cost center': '42' },
      permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      budget: { dollarsPerMonth: 50 },
      alarmEmail: 'oncall@example.com',
    },
  },
  'prod',
)
const resourcesOf = (found: typeof template, type: string): [string, Resource][] =>
  Object.entries(found.findResources(type) as Record<string, Resource>)

describe('a network', () => {
  it('is joined by the functions that call providers', () => {
    const joined = resourcesOf(template, 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties['VpcConfig'],
    )
    expect(joined.map(([id]) => id.slice(0, 5))).toEqual(['Gatew', 'Probe'])
    for (const [, { Properties }] of joined)
      expect(Properties['VpcConfig']).toEqual({ SubnetIds: SUBNETS, SecurityGroupIds: ['sg-0a1b2c3d'] })
    expect(JSON.stringify(plain.toJSON())).not.toContain('VpcConfig')
  })

  it('may be joined before a function is made, which the platform checks', () => {
    const policies = resourcesOf(template, 'AWS::IAM::Policy').filter(([, { Properties }]) =>
      JSON.stringify(Properties).includes('ec2:CreateNetworkInterface'),
    )
    expect(policies).toHaveLength(2)
    const awaited = resourcesOf(template, 'AWS::Lambda::Function').flatMap(
      ([, { DependsOn = [] }]) => DependsOn,
    )
    for (const [id] of policies) expect(awaited).toContain(id)
  })
})

it('a boundary binds every role', () => {
  const roles = resourcesOf(template, 'AWS::IAM::Role')
  expect(roles.length).toBeGreaterThan(3)
  for (const [, { Properties }] of roles)
    expect(Properties['PermissionsBoundary']).toBe('arn:aws:iam::123456789012:policy/boundary')
})

it('tags are on whatever can have some', () => {
  for (const type of [
    'AWS::DynamoDB::Table',
    'AWS::SecretsManager::Secret',
    'AWS::SNS::Topic',
    'AWS::Logs::LogGroup',
  ])
    expectResource(template, type, {
      Tags: Match.arrayWith([
        { Key: 'cost center', Value: '42' },
        { Key: 'stage', Value: 'prod' },
        { Key: 'team', Value: 'search' },
      ]),
    })
})

it('a budget is that of the tagged resources, and tells by e-mail', () => {
  expectResource(template, 'AWS::Budgets::Budget', {
    Budget: {
      BudgetLimit: { Amount: 50, Unit: 'USD' },
      FilterExpression: {
        And: [
          { Tags: { Key: 'application', Values: ['backstop'] } },
          { Tags: { Key: 'stage', Values: ['prod'] } },
        ],
      },
    },
    NotificationsWithSubscribers: Match.arrayWith([
      Match.objectLike({ Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'oncall@example.com' }] }),
    ]),
  })
})

it('the platform logs what went wrong, and in a form that leaves our lines as they are', () => {
  for (const [, { Properties }] of resourcesOf(plain, 'AWS::Lambda::Function'))
    expect(Properties['LoggingConfig']).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' })
})

it.each([
  [{ vpc: { subnetIds: [], securityGroupIds: ['sg-0a1b2c3d'] } }, /vpc\.subnetIds: expected a list of ids/],
  [{ vpc: { ...vpc, subnetIds: ['vpc-0a1b2c3d'] } }, /vpc\.subnetIds\[0\]: expected an id such as "subnet-/],
  [{ vpc: { subnetIds: SUBNETS } }, /vpc\.securityGroupIds/],
  [{ tags: { 'aws:team': 'x' } }, /tags.*"aws:"/],
  [{ tags: { team: 7 } }, /tags\.team: expected a text, got 7/],
  [{ permissionsBoundary: 'boundary' }, /permissionsBoundary: expected the ARN of a policy such as/],
  [{ budget: { dollarsPerMonth: 0 } }, /budget\.dollarsPerMonth: expected more than 0 dollars/],
  [{ budget: { dollarsPerMonth: 10 } }, /budget: nobody would be told\. Set deploy\.budget\.email or/],
])('is refused in words: %j', (deploy, message) => {
  expect(() => parseGatewayConfig({ ...CONFIG, deploy })).toThrow(message)
})
