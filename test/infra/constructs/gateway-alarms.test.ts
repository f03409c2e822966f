import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it, test } from 'vitest'
import { METRICS } from '../../../lambdas/contract.ts'
import { parseGatewayConfig, type GatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { observedConfig, observedTemplate } from './observed-stack.ts'

type AlarmProperties = {
  AlarmDescription: string
  AlarmActions: unknown[]
  OKActions: unknown[]
  InsufficientDataActions?: unknown[]
  TreatMissingData: string
}

const template = observedTemplate(observedConfig({ canary: true }))
const alarmsIn = (found: Template): AlarmProperties[] =>
  Object.values(found.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties as AlarmProperties,
  )
const alarmsOf = (config: GatewayConfig): AlarmProperties[] => alarmsIn(observedTemplate(config))
const alarms = alarmsIn(template)
const runbook = readFileSync(new URL('../../../infra/RUNBOOK.md', import.meta.url), 'utf8')
const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
const namedBy = ({ AlarmDescription }: AlarmProperties): string =>
  /See infra\/RUNBOOK\.md, "([^"]+)"\.$/.exec(AlarmDescription)?.[1] ?? expect.fail(AlarmDescription)

describe('the runbook', () => {
  it('has the heading that each alarm names, and none for an alarm that does not exist', () => {
    const named = new Set(alarms.map(namedBy))
    expect(headings.toSorted()).toEqual([...named].toSorted())
  })

  test.each(headings)('%s: what it means, how to look, what to do', heading => {
    const [, section = ''] = runbook.split(`## ${heading}\n`)
    const [text = ''] = section.split(/^## /m)
    for (const part of ['What it means', 'How to look', 'What to do']) expect(text).toContain(`**${part}.**`)
    expect(text).toMatch(/```|npm run|aws /)
  })
})

describe('every alarm', () => {
  test.each(alarms.map(alarm => [alarm.AlarmDescription, alarm] as const))('%s', (_, alarm) => {
    const topic = [{ Ref: expect.stringContaining('Topic') }]
    expect(alarm).toMatchObject({ AlarmActions: topic, OKActions: topic })
    const isAboutSilence = alarm.AlarmDescription.includes('has not run')
    expect(alarm.TreatMissingData).toBe(isAboutSilence ? 'missing' : 'notBreaching')
    expect(alarm.InsufficientDataActions).toEqual(isAboutSilence ? topic : undefined)
  })

  it('has one for each alias', () => {
    const about = alarms.filter(({ AlarmDescription }) => AlarmDescription.startsWith('No endpoint answered'))
    expect(about.map(({ AlarmDescription }) => /'(.+)'/.exec(AlarmDescription)?.[1])).toEqual([
      'gpt-4o',
      'small',
    ])
  })

  it('is of few metrics where few are asked for, however many models there are', () => {
    const models = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`model-${index}`, { tiers: [['groq/a']] }]),
    )
    const few = alarmsOf(parseGatewayConfig({ models, deploy: { metrics: 'essential' } }))
    expect(few.map(namedBy).toSorted()).toEqual([
      'A provider key is refused',
      'Many requests fail',
      'No request succeeds',
      'The gateway crashes',
      'The platform refuses requests',
    ])
    expect(few).toEqual(alarmsOf(parseGatewayConfig({ models, deploy: { alarms: 'essential' } })))
  })

  it('goes off where the configuration says, and says so itself', () => {
    const found = alarmsOf(
      observedConfig({
        alarms: { errorShare: 25, retryTokensADay: 2_000_000, throttles: 50, failedRequests: 9 },
      }),
    )
    const about = (heading: string) => found.find(alarm => namedBy(alarm) === heading)
    expect(about('Many requests fail')).toMatchObject({
      Threshold: 25,
      AlarmDescription: expect.stringMatching(/^25 of 100 requests/) as string,
    })
    expect(about('Retries cost a lot')).toMatchObject({
      Threshold: 2_000_000,
      AlarmDescription: expect.stringMatching(/2 million tokens/) as string,
    })
    expect(about('The platform refuses requests')).toMatchObject({ Threshold: 50 })
    expect(JSON.stringify(about('No request succeeds'))).toContain('FILL(failed, 0) >= 9')
    expect(about('The gateway crashes')).toMatchObject({ Threshold: 1 })
  })

  it('watches metrics that exist, and no search, which cannot alarm', () => {
    const text = JSON.stringify(alarms)
    expect(text).not.toContain('SEARCH')
    const own = [...text.matchAll(/"MetricName":"(\w+)","Namespace":"Backstop"/g)].map(([, name]) => name)
    expect(own.filter(name => !Object.keys(METRICS).includes(name ?? ''))).toEqual([])
    expect(own).toContain('Degraded')
  })
})

const propertiesOf = (found: Template, type: string): unknown[] =>
  Object.values(found.findResources(type)).map(({ Properties }) => Properties as unknown)

describe('the topic', () => {
  it('lets CloudWatch of this account publish, and nobody without TLS', () => {
    const [policy] = propertiesOf(template, 'AWS::SNS::TopicPolicy')
    expect(policy).toMatchObject({
      PolicyDocument: {
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Action: 'sns:Publish',
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
          expect.objectContaining({
            Effect: 'Deny',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]) as unknown,
      },
    })
  })

  it('is the one that the configuration names, and then none is made', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:oncall'
    const given = observedTemplate(observedConfig({ alarmTopicArn, alarmEmail: 'oncall@example.com' }))
    expect(propertiesOf(given, 'AWS::SNS::Topic')).toEqual([])
    expect(propertiesOf(given, 'AWS::SNS::Subscription')).toMatchObject([{ TopicArn: alarmTopicArn }])
    for (const alarm of alarmsIn(given)) expect(alarm).toMatchObject({ AlarmActions: [alarmTopicArn] })
  })

  it('is none where there are no alarms', () => {
    const silent = observedTemplate(observedConfig({ alarms: 'none' }))
    expect(alarmsIn(silent)).toEqual([])
    expect(propertiesOf(silent, 'AWS::SNS::Topic')).toEqual([])
  })

  it('sends e-mail where an address is set, and else to nobody', () => {
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toEqual([])
    const asked = observedTemplate(observedConfig({ alarmEmail: 'oncall@example.com' }))
    expect(propertiesOf(asked, 'AWS::SNS::Subscription')).toEqual([
      expect.objectContaining({ Protocol: 'email', Endpoint: 'oncall@example.com' }),
    ])
  })
})
