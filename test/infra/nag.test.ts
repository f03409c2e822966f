import { Stack } from 'aws-cdk-lib'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it, test } from 'vitest'
import { CONFIG, createApp, synthesise } from './synthesise.ts'

describe('cdk-nag has nothing to say', () => {
  const rows: [string, object][] = [
    ['about the stack as it is', {}],
    ['with AWS signatures', { auth: 'iam' }],
    ['with alarms by e-mail', { alarmEmail: 'oncall@example.com', reservedConcurrency: 5 }],
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
