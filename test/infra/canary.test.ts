import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { alarmsOf } from './alarms/evaluate-alarm.ts'
import { CONFIG, expectResource, synthesise } from './synthesise.ts'

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown }

const without = synthesise().template
const keyed = synthesise({ ...CONFIG, deploy: { canary: true } }).template
const signed = synthesise({
  ...CONFIG,
  deploy: {
    canary: true,
    auth: 'iam',
    alarms: { canaryFailures: 1, level: 'essential' },
    vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  },
}).template

/** Of the resources whose ID begins with `Canary`. */
const ofCanary = (template: Template, type: string): object[] =>
  Object.entries(template.findResources(type)).flatMap(([id, { Properties }]) =>
    id.startsWith('Canary') ? [Properties as object] : [],
  )

/** What the function itself may do, apart from its log. */
const allowed = (template: Template): Statement[] =>
  Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith('CanaryRole'))
    .flatMap(
      ([, { Properties }]) =>
        (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    )
    .filter(({ Action }) => !JSON.stringify(Action).includes('logs:'))

describe('the canary', () => {
  it('is only there where it is asked for', () => {
    expect(JSON.stringify(without.toJSON())).not.toContain('Canary')
    expect(ofCanary(keyed, 'AWS::Lambda::Function')).toHaveLength(1)
  })

  it('is called once an hour, and never twice for the same hour', () => {
    expectResource(keyed, 'AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 hour)',
      Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
    })
    expect(ofCanary(keyed, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([{ MaximumRetryAttempts: 0 }])
  })

  it('may read the client key, and nothing else', () => {
    expect(allowed(keyed).map(({ Action }) => Action)).toEqual(['secretsmanager:GetSecretValue'])
    expect(ofCanary(keyed, 'AWS::Lambda::Function')).toMatchObject([
      { Environment: { Variables: { BACKSTOP_URL: {}, BACKSTOP_SECRET: {} } } },
    ])
  })

  it('with AWS signatures may call the URL, and reads no key', () => {
    expect(allowed(signed).map(({ Action }) => Action)).toEqual([
      'lambda:InvokeFunctionUrl',
      'lambda:InvokeFunction',
    ])
    for (const { Condition } of allowed(signed)) expect(Condition).toBeDefined()
    expect(JSON.stringify(ofCanary(signed, 'AWS::Lambda::Function'))).not.toContain('BACKSTOP_SECRET')
  })

  it('stays outside of a network: it is a client', () => {
    expect(JSON.stringify(ofCanary(signed, 'AWS::Lambda::Function'))).not.toContain('VpcConfig')
  })

  it('rings when two of three requests fail, or as many as the configuration says, at every level', () => {
    const hourly = { Period: 3_600, EvaluationPeriods: 3, Threshold: 1 }
    expect(alarmsOf(keyed).get('CanaryFailed')).toMatchObject({ ...hourly, DatapointsToAlarm: 2 })
    expect(alarmsOf(signed).get('CanaryFailed')).toMatchObject({ ...hourly, DatapointsToAlarm: 1 })
  })
})
