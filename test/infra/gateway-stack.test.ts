import { sourceFiles } from '../support/source-files.ts'
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it, test } from 'vitest'
import { CORS, STACK_OUTPUTS } from '../../lambdas/contract.ts'
import { CONFIG, createApp, expectResource, synthesise } from './synthesise.ts'

const { template } = synthesise()
const withDeploy = (deploy: object): Template => synthesise({ ...CONFIG, deploy }).template

type Resource = { Type: string; Properties: Record<string, unknown> }

const resourcesOf = (found: Template): [string, Resource][] =>
  Object.entries((found.toJSON() as { Resources: Record<string, Resource> }).Resources)

test('what the configuration says and the gateway does not do is a warning of the synth', () => {
  const models = { chat: { tiers: [[{ endpoint: 'groq/llama-3.1-8b-instant', weight: 2 }]] } }
  const { stack } = synthesise({ models })
  Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('the weight has no effect'))
  expect(Annotations.fromStack(synthesise().stack).findWarning('*', Match.anyValue())).toEqual([])
})

describe('the Function URL', () => {
  it('streams, and lets browsers read every header of ours', () => {
    expectResource(template, 'AWS::Lambda::Url', {
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      Cors: { AllowOrigins: ['*'], ExposeHeaders: [...CORS.exposeHeaders], AllowMethods: ['GET', 'POST'] },
    })
  })

  it('is public by both permissions that the platform asks for', () => {
    template.resourceCountIs('AWS::Lambda::Permission', 2)
    expectResource(template, 'AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    })
    expectResource(template, 'AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: '*',
      InvokedViaFunctionUrl: true,
    })
  })

  it('with auth iam is open to nobody', () => {
    const iam = withDeploy({ auth: 'iam' })
    expectResource(iam, 'AWS::Lambda::Url', { AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' })
    iam.resourceCountIs('AWS::Lambda::Permission', 0)
  })
})

describe('the table', () => {
  it('is on demand, encrypted, restorable, and forgets by itself', () => {
    expectResource(template, 'AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      // By the key of DynamoDB itself, which costs nothing.
      SSESpecification: { SSEEnabled: false },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      DeletionProtectionEnabled: false,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    })
  })

  it('is protected from deletion where that is asked for', () => {
    const properties = { DeletionProtectionEnabled: true }
    expectResource(withDeploy({ deletionProtection: true }), 'AWS::DynamoDB::Table', properties)
  })
})

describe('the functions', () => {
  it('run on arm64 and Node 24, and know where the table is', () => {
    const functions = template.findResources('AWS::Lambda::Function', {
      Properties: {
        Architectures: ['arm64'],
        Runtime: 'nodejs24.x',
        Environment: {
          Variables: {
            BACKSTOP_TABLE: { Ref: Match.stringLikeRegexp('Table') },
          },
        },
      },
    })
    expect(Object.keys(functions).length).toBe(3)
    expect(Object.keys(template.findResources('AWS::Lambda::Function'))).toEqual(Object.keys(functions))
  })

  it('know where the keys are, but for the one that draws', () => {
    const knowing = template.findResources('AWS::Lambda::Function', {
      Properties: {
        Environment: { Variables: { BACKSTOP_SECRET: { Ref: Match.stringLikeRegexp('Secret') } } },
      },
    })
    expect(Object.keys(knowing).map(id => id.slice(0, 5))).toEqual(['Gatew', 'Probe'])
  })

  it('know the name of their stack, and where the metrics of their stage stand', () => {
    const variablesOf = (stage: string) =>
      Object.values(synthesise(CONFIG, stage).template.findResources('AWS::Lambda::Function')).flatMap(
        ({ Properties }) => {
          const { Variables } = (Properties as { Environment: { Variables: Record<string, unknown> } })
            .Environment
          return 'BACKSTOP_STACK' in Variables
            ? [[Variables['BACKSTOP_STACK'], Variables['BACKSTOP_METRIC_NAMESPACE']]]
            : []
        },
      )
    expect(variablesOf('prod')).toEqual([
      ['Backstop-prod', 'Backstop'],
      ['Backstop-prod', 'Backstop'],
    ])
    expect(variablesOf('dev')).toEqual([
      ['Backstop-dev', 'Backstop/dev'],
      ['Backstop-dev', 'Backstop/dev'],
    ])
  })

  it('keep their logs for thirty days, or as long as is asked for', () => {
    const retentionsOf = (found: Template): unknown[] =>
      Object.values(found.findResources('AWS::Logs::LogGroup')).map(
        ({ Properties }) => (Properties as { RetentionInDays?: number }).RetentionInDays,
      )
    expect(new Set(retentionsOf(template))).toEqual(new Set([30]))
    expect(new Set(retentionsOf(withDeploy({ logRetentionDays: 7 })))).toEqual(new Set([7]))
  })

  it('share the concurrency of the account, unless told otherwise', () => {
    const reserving = (found: Template) =>
      Object.values(found.findResources('AWS::Lambda::Function')).filter(
        ({ Properties }) => 'ReservedConcurrentExecutions' in (Properties as object),
      ).length
    expect(reserving(template)).toBe(0)
    expect(reserving(withDeploy({ reservedConcurrency: 20 }))).toBe(1)
  })
})

describe('the schedule', () => {
  it('calls the probe every minute, and drops a tick that failed or grew old', () => {
    expectResource(template, 'AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
    })
    expectResource(template, 'AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    })
  })
})

describe('the policies', () => {
  type Statement = { Action: string | string[]; Resource: unknown }
  const statementsOf = (found: Template): Statement[] =>
    Object.values(found.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) =>
        (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    )
  const actionsOf = (found: Template): string[] => [
    ...new Set(statementsOf(found).flatMap(({ Action }) => Action)),
  ]

  it('name every action, and no more than these', () => {
    expect(actionsOf(template).filter(action => action.includes('*'))).toEqual([])
    expect(actionsOf(template)).toEqual(
      expect.arrayContaining(['secretsmanager:GetSecretValue', 'bedrock:InvokeModel', 'dynamodb:Query']),
    )
    expect(actionsOf(template).filter(action => /Scan|Put[^IL]|Delete[^I]|Create[^L]/.test(action))).toEqual(
      [],
    )
  })

  it('name what every command of the store needs', () => {
    const NEEDED: Record<string, string> = {
      BatchGet: 'BatchGetItem',
      Delete: 'DeleteItem',
      Get: 'GetItem',
      Put: 'PutItem',
      Query: 'Query',
      // Each of its writes is a put.
      TransactWrite: 'PutItem',
      Update: 'UpdateItem',
    }
    const sent = sourceFiles('lambdas/store').flatMap(({ code }) =>
      [...code.matchAll(/new (\w+)Command\(/g)].map(([, name = '']) => name),
    )
    expect(sent.length).toBeGreaterThan(5)
    const needed = sent.map(name => `dynamodb:${NEEDED[name]}`)
    expect(actionsOf(template)).toEqual(expect.arrayContaining(needed))
  })

  it('have no resource that is everything', () => {
    expect(statementsOf(template).filter(({ Resource }) => Resource === '*')).toEqual([])
    const managed = JSON.stringify(template.findResources('AWS::IAM::Role'))
    expect(managed).not.toContain('ManagedPolicyArns')
  })

  const bedrockOf = (configuration: unknown): string =>
    JSON.stringify(
      statementsOf(synthesise(configuration).template).filter(({ Action }) =>
        [Action].flat().some(action => action.startsWith('bedrock:')),
      ),
    )
  const using = (...references: string[]) => ({ models: { chat: { tiers: references.map(name => [name]) } } })

  it('allow the configured models of Bedrock, and none where none is configured', () => {
    expect(bedrockOf(CONFIG)).toContain('foundation-model/openai.gpt-oss-20b-1:0')
    expect(bedrockOf(CONFIG)).not.toContain('gpt-oss-120b')
    expect(bedrockOf(using('groq/llama-3.1-8b-instant'))).toBe('[]')
  })

  it('allow an inference profile together with its model, wherever that runs', () => {
    const text = bedrockOf(using('bedrock/us.openai.gpt-oss-20b-1:0'))
    expect(text).toContain('inference-profile/us.openai.gpt-oss-20b-1:0')
    expect(text).toContain(':bedrock:*::foundation-model/openai.gpt-oss-20b-1:0')
  })

  it('follow a base URL into another region', () => {
    const baseUrl = 'https://bedrock-runtime.eu-north-1.amazonaws.com/openai/v1'
    const text = bedrockOf({ ...CONFIG, providers: { bedrock: { baseUrl } } })
    expect(text).toContain(':bedrock:eu-north-1::foundation-model/')
  })
})

describe('two stages', () => {
  const NAMES = [
    'TableName',
    'FunctionName',
    'RoleName',
    'LogGroupName',
    'Name',
    'DashboardName',
    'AlarmName',
  ]
  const app = createApp()
  const one = synthesise(CONFIG, 'prod', app)
  const other = synthesise(CONFIG, 'staging', app)

  it('live side by side: nothing is named the same', () => {
    expect([one.stack.stackName, other.stack.stackName]).toEqual(['Backstop-prod', 'Backstop-staging'])
    // A reference inside the template is no name.
    const namesOf = (found: Template): string[] =>
      resourcesOf(found).flatMap(([, { Properties }]) =>
        NAMES.map(name => JSON.stringify(Properties[name]) ?? '').filter(
          text => text !== '' && !/^\{"(?:Ref|Fn::GetAtt)"/.test(text),
        ),
      )
    const taken = new Set(namesOf(one.template))
    expect(taken.size).toBeGreaterThan(0)
    expect(namesOf(other.template).filter(name => taken.has(name))).toEqual([])
  })

  it('are told apart by a tag', () => {
    expectResource(other.template, 'AWS::DynamoDB::Table', {
      Tags: Match.arrayWith([{ Key: 'stage', Value: 'staging' }]),
    })
  })
})

describe('the outputs', () => {
  const outputs = template.toJSON() as { Outputs: Record<string, { Value: unknown }> }
  const told = (name: string): string => JSON.stringify(outputs.Outputs[name]?.Value)

  test.each(Object.values(STACK_OUTPUTS))('tell %s', name => {
    expect(outputs.Outputs).toHaveProperty(name)
  })

  it('tell of no dashboard and no alarms where there are none', () => {
    const bare = withDeploy({ dashboard: false, alarms: 'none' })
    const { Outputs } = bare.toJSON() as typeof outputs
    expect(Object.keys(Outputs)).not.toContain(STACK_OUTPUTS.dashboard)
    expect(Object.keys(Outputs)).not.toContain(STACK_OUTPUTS.alarmTopic)
    bare.resourceCountIs('AWS::CloudWatch::Dashboard', 0)
    bare.resourceCountIs('AWS::CloudWatch::Alarm', 0)
    // Who draws the dashboard's table has nothing to draw.
    bare.resourceCountIs('AWS::Lambda::Function', 2)
    bare.resourcePropertiesCountIs('AWS::Logs::QueryDefinition', {}, 4)
  })

  it('hold a command that fetches the client key instead of showing it', () => {
    expect(told(STACK_OUTPUTS.try)).toContain('aws secretsmanager get-secret-value')
    expect(told(STACK_OUTPUTS.try)).toContain('v1/chat/completions')
    expect(JSON.stringify(template.toJSON())).not.toContain('resolve:secretsmanager')
  })

  it('sign instead where the platform asks for a signature', () => {
    const iam = withDeploy({ auth: 'iam' }).toJSON() as typeof outputs
    const command = JSON.stringify(iam.Outputs[STACK_OUTPUTS.try]?.Value)
    expect(command).toContain('--aws-sigv4')
    expect(command).not.toContain('get-secret-value')
  })
})

describe('traces', () => {
  it('go nowhere, where nothing is said of them', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('OTEL_')
  })

  it('go where the function is told, and it learns the key by reference', () => {
    const traced = withDeploy({
      openTelemetry: {
        endpoint: 'https://otel.example.com',
        headersSecret: 'backstop/otel-headers',
        variables: { OTEL_SERVICE_NAME: 'llm' },
      },
    })
    expectResource(traced, 'AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com',
          OTEL_EXPORTER_OTLP_HEADERS: '{{resolve:secretsmanager:backstop/otel-headers:SecretString:::}}',
          OTEL_SERVICE_NAME: 'llm',
        }),
      },
    })
  })

  it('go to the collector of a layer, which listens beside the function', () => {
    const layer = 'arn:aws:lambda:eu-central-1:123456789012:layer:opentelemetry-collector-arm64:1'
    expectResource(withDeploy({ openTelemetry: { layer } }), 'AWS::Lambda::Function', {
      Layers: [layer],
      Environment: {
        Variables: Match.objectLike({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }),
      },
    })
  })
})
