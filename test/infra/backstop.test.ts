import { CfnParameter, NestedStack, Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { describe, expect, it } from 'vitest'
import { Backstop, type BackstopProps } from '../../infra/backstop.ts'
import { STACK_OUTPUTS } from '../../lambdas/contract.ts'
import { CONFIG, createApp, expectResource, synthesise } from './synthesise.ts'

type Resource = { Type: string; Properties: Record<string, unknown> }

const config = CONFIG as BackstopProps['config']

const valuesOf = (template: Template, type: string, property: string): string[] =>
  Object.values(template.findResources(type) as Record<string, Resource>).map(({ Properties }) =>
    JSON.stringify(Properties[property]),
  )

describe('in the stack of another project', () => {
  const stack = new Stack(createApp(), 'Shop', { env: { region: 'eu-central-1' } })
  const one = new Backstop(stack, 'Llm', { config })
  const other = new Backstop(stack, 'Batch', { config, stage: 'dev', metricNamespace: 'Batch' })
  const role = new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  one.grantInvoke(role)
  one.grantReadKeys(role)
  const template = Template.fromStack(stack)
  const { Outputs } = template.toJSON() as { Outputs: Record<string, unknown> }

  it('two of them share no name', () => {
    const names = ['AWS::CloudWatch::Dashboard/DashboardName', 'AWS::Logs::QueryDefinition/Name'].flatMap(
      name => valuesOf(template, ...(name.split('/') as [string, string])),
    )
    expect(names).toHaveLength(2 * 5)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => name.includes('Shop-Llm'))).toHaveLength(5)
  })

  it('each has its outputs, under names that can be looked up', () => {
    const expected = ['Llm', 'Batch'].flatMap(id => Object.values(STACK_OUTPUTS).map(name => `${id}${name}`))
    expect(Object.keys(Outputs).toSorted()).toEqual(expected.toSorted())
  })

  it('each has its metrics, and tells its functions where they and their stack are', () => {
    expect([one.metricNamespace, other.metricNamespace]).toEqual(['Backstop/Shop-Llm', 'Batch'])
    expect([one.stackReference, other.stackReference]).toEqual(['Shop/Llm', 'Shop/Batch'])
    for (const { metricNamespace, stackReference } of [one, other])
      expectResource(template, 'AWS::Lambda::Function', {
        Environment: {
          Variables: Match.objectLike({
            BACKSTOP_STACK: stackReference,
            BACKSTOP_METRIC_NAMESPACE: metricNamespace,
          }),
        },
      })
    const namespaces = Object.values(
      template.findResources('AWS::CloudWatch::Alarm') as Record<string, Resource>,
    )
      .map(({ Properties }) => JSON.stringify(Properties))
      .flatMap(text => [...text.matchAll(/"Namespace":"(?!AWS)([^"]*)"/g)].map(([, name]) => name))
    expect(new Set(namespaces)).toEqual(new Set(['Backstop/Shop-Llm', 'Batch']))
  })

  it('tags what it consists of, and nothing else', () => {
    expectResource(template, 'AWS::DynamoDB::Table', {
      Tags: [
        { Key: 'application', Value: 'backstop' },
        { Key: 'backstop:gateway', Value: 'Shop-Llm-eu-central-1' },
      ],
    })
    expectResource(template, 'AWS::DynamoDB::Table', {
      Tags: Match.arrayWith([{ Key: 'stage', Value: 'dev' }]),
    })
    const callers = template.findResources('AWS::IAM::Role', { Properties: { Tags: Match.absent() } })
    expect(Object.keys(callers)).toHaveLength(1)
  })

  it('lets other identities call it and read its keys', () => {
    const policy = valuesOf(template, 'AWS::IAM::Policy', 'PolicyDocument').find(text =>
      text.includes('InvokeFunctionUrl'),
    )
    expect(policy).toContain('lambda:InvokedViaFunctionUrl')
    expect(policy).toContain('secretsmanager:GetSecretValue')
  })

  it('can be reached by other constructs', () => {
    expect(stack.resolve(one.url)).toEqual({
      'Fn::GetAtt': [expect.stringContaining('LlmGateway'), 'FunctionUrl'],
    })
    expect(stack.resolve(one.host)).toEqual({
      'Fn::Select': [2, { 'Fn::Split': ['/', stack.resolve(one.url)] }],
    })
    expect(one.table.node.scopes).toContain(one)
    expect(one.secret.node.scopes).toContain(one)
    expect(one.alarmTopic?.node.scopes).toContain(one)
  })
})

describe('metrics of two gateways are never in one namespace', () => {
  const app = createApp()
  const shop = new Stack(app, 'Shop')
  const constructs = [
    new Backstop(shop, 'Llm', { config, stage: 'dev' }),
    new Backstop(shop, 'Batch', { config, stage: 'dev' }),
    new Backstop(new Stack(app, 'Search'), 'Llm', { config, stage: 'dev' }),
    new Backstop(shop, 'Main', { config, stage: 'prod' }),
  ]
  const whole = synthesise(CONFIG, 'prod', app).stack.backstop

  it('if they have the same stage', () => {
    expect([...constructs, whole].map(({ metricNamespace }) => metricNamespace)).toEqual([
      'Backstop/dev/Shop-Llm',
      'Backstop/dev/Shop-Batch',
      'Backstop/dev/Search-Llm',
      'Backstop/prod/Shop-Main',
      'Backstop',
    ])
  })

  it('and their alarms watch what their functions write', () => {
    const { Resources } = Template.fromStack(shop).toJSON() as { Resources: Record<string, Resource> }
    for (const id of ['Llm', 'Batch'] as const) {
      const own = Object.entries(Resources).filter(
        ([name, { Type }]) => name.startsWith(id) && Type === 'AWS::CloudWatch::Alarm',
      )
      const names = JSON.stringify(own).matchAll(/"Namespace":"(?!AWS)([^"]*)"/g)
      expect(new Set([...names].map(([, name]) => name))).toEqual(new Set([`Backstop/dev/Shop-${id}`]))
    }
  })
})

it('the budgets of two gateways without a stage count what each of them costs', () => {
  const stack = new Stack(createApp(), 'Shop', { env: { region: 'eu-central-1' } })
  const deploy = { budget: { dollarsPerMonth: 50, email: 'costs@example.com' } }
  const costly = { ...CONFIG, deploy } as BackstopProps['config']
  for (const id of ['Llm', 'Batch']) void new Backstop(stack, id, { config: costly })
  const template = Template.fromStack(stack)
  for (const id of ['Llm', 'Batch']) {
    const value = `Shop-${id}-eu-central-1`
    expectResource(template, 'AWS::Budgets::Budget', {
      Budget: { FilterExpression: { Tags: { Key: 'backstop:gateway', Values: [value] } } },
    })
    expectResource(template, 'AWS::DynamoDB::Table', {
      Tags: Match.arrayWith([{ Key: 'backstop:gateway', Value: value }]),
    })
  }
})

it('refuses a topic of another region, to which CloudWatch does not publish', () => {
  const deploy = { alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:oncall' }
  const elsewhere = { ...CONFIG, deploy } as BackstopProps['config']
  const create = (env: { region?: string }) => () =>
    new Backstop(new Stack(createApp(), 'Shop', { env }), 'Llm', { config: elsewhere })
  expect(create({ region: 'eu-central-1' })).toThrow(
    /^deploy\.alarmTopicArn: the topic is in us-east-1, and this stack is in eu-central-1\. .*create a topic there/,
  )
  expect(create({ region: 'us-east-1' })).not.toThrow()
  expect(create({})).not.toThrow()
})

it.each(['x'.repeat(360), 'what?', '', '1st', 7, null])('refuses the stage %j in words', stage => {
  const props = { config, stage } as BackstopProps
  expect(() => new Backstop(new Stack(createApp(), 'Shop'), 'Llm', props)).toThrow(
    /^Backstop: stage: expected a letter, then up to 19 letters, digits and dashes, got .{1,80}\.$/,
  )
})

it('takes a stage that is known during the deploy only', () => {
  const stack = new Stack(createApp(), 'Shop')
  const stage = new CfnParameter(stack, 'Stage').valueAsString
  expect(() => new Backstop(stack, 'Llm', { config, stage })).not.toThrow()
})

it.each(['AWS/Lambda', '', 'a?', 'x'.repeat(256)])('refuses the metric namespace %j in words', name => {
  const stack = new Stack(createApp(), 'Shop')
  expect(() => new Backstop(stack, 'Llm', { config, metricNamespace: name })).toThrow(
    /^Backstop: expected a metricNamespace of at most 255 letters, .* got .{1,80}\.$/,
  )
})

it('can be part of a nested stack, whose name is not known before the deploy', () => {
  const stack = new Stack(createApp(), 'Shop')
  const nested = new NestedStack(stack, 'Inner')
  void new Backstop(nested, 'Llm', { config })
  expect(Template.fromStack(nested).findResources('AWS::Lambda::Function')).not.toEqual({})
})

it('says of a wrong configuration what is wrong, in words', () => {
  const wrong = { models: { chat: { tiers: [['opnai/x']] } } } as unknown as BackstopProps['config']
  expect(() => new Backstop(new Stack(createApp(), 'Shop'), 'Llm', { config: wrong })).toThrow(
    /unknown provider "opnai"\. Did you mean "openai"\?/,
  )
})
