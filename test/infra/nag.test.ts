import { Stack } from 'aws-cdk-lib'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it, test } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

describe('cdk-nag has nothing to say', () => {
  const rows: [string, object][] = [
    ['about the stack as it is', {}],
    ['with AWS signatures', { auth: 'iam', canary: true }],
    ['with a canary', { canary: { model: 'chat' } }],
    ['with alarms by e-mail', { alarmEmail: 'oncall@example.com', reservedConcurrency: 5 }],
    [
      'with what an organisation may want',
      {
        vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
        tags: { team: 'search' },
        permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
        budget: { dollarsPerMonth: 50, email: 'costs@example.com' },
      },
    ],
  ]
  test.each(rows)('%s', (_, deploy) => {
    const { app, stack } = synthesise({ ...CONFIG, deploy })
    const { violations } = new AwsSolutionsChecks(app).validateScope(stack)
    const found = violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    )
    expect(found).toEqual([])
  })
})

it('would speak of a bucket without a log', () => {
  const stack = new Stack(createApp(), 'Bare')
  expect(new Bucket(stack, 'Bucket')).toBeDefined()
  expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).not.toEqual([])
})
