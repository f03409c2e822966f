import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it, test } from 'vitest'
import { METRICS } from '../../../lambdas/contract.ts'
import { observedConfig, observedTemplate } from './observed-stack.ts'

type AlarmProperties = {
  AlarmDescription: string
  AlarmActions: unknown[]
  OKActions: unknown[]
  TreatMissingData: string
}

const template = observedTemplate()
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties as AlarmProperties,
)
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
    expect(alarm.TreatMissingData).toBe(isAboutSilence ? 'breaching' : 'notBreaching')
  })

  it('has one for each alias', () => {
    const about = alarms.filter(({ AlarmDescription }) => AlarmDescription.startsWith('No endpoint answered'))
    expect(about.map(({ AlarmDescription }) => /'(.+)'/.exec(AlarmDescription)?.[1])).toEqual([
      'gpt-4o',
      'small',
    ])
  })

  it('counts a failed request once: as one that was logged, or as an error that the platform saw', () => {
    expect(JSON.stringify(alarms)).toContain(
      'IF((FILL(requests, 0) >= 4 OR FILL(errors, 0) >= 4) AND FILL(answered, 0) < 1, 1, 0)',
    )
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

  it('sends e-mail where an address is set, and else to nobody', () => {
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toEqual([])
    const asked = observedTemplate(observedConfig({ alarmEmail: 'oncall@example.com' }))
    expect(propertiesOf(asked, 'AWS::SNS::Subscription')).toEqual([
      expect.objectContaining({ Protocol: 'email', Endpoint: 'oncall@example.com' }),
    ])
  })
})
