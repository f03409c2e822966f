import * as z from 'zod/mini'
import { budget, permissionsBoundary, tags } from './account-schema.ts'
import { alarmsSchema } from './alarms-schema.ts'
import { vpc } from './network-schema.ts'
import { openTelemetry } from './open-telemetry-schema.ts'

const flag = z.optional(z.boolean('expected true or false'))

/** What CloudWatch offers. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1_096, 1_827, 2_192]

export const deploySchema = z.strictObject(
  {
    auth: z.optional(z.enum(['key', 'iam'], 'expected "key" (client keys) or "iam" (AWS signatures)')),
    deletionProtection: flag,
    reservedConcurrency: z.optional(
      z
        .int('expected a whole number of requests at a time')
        .check(z.gte(1, 'expected at least one request at a time')),
    ),
    logRetentionDays: z.optional(
      z
        .number('expected a number of days')
        .check(
          z.refine(days => RETENTION_DAYS.includes(days), `expected one of ${RETENTION_DAYS.join(', ')}`),
        ),
    ),
    alarmEmail: z.optional(
      z
        .string('expected an e-mail address')
        .check(
          z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'expected an e-mail address such as "oncall@example.com"'),
        ),
    ),
    alarmTopicArn: z.optional(
      z
        .string('expected the ARN of an SNS topic')
        .check(
          z.regex(
            /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]+$/,
            'expected the ARN of an SNS topic such as "arn:aws:sns:eu-central-1:123456789012:oncall"',
          ),
        ),
    ),
    alarms: z.optional(alarmsSchema),
    canary: z.optional(
      z.union(
        [z.boolean(), z.strictObject({ model: z.string('expected the name of a model') })],
        'expected true, false, or an object such as { model: "gpt-4o" }',
      ),
    ),
    dashboard: flag,
    metrics: z.optional(
      z.enum(['all', 'essential'], 'expected "all" or "essential" (few metrics, without providers)'),
    ),
    openTelemetry,
    vpc,
    tags,
    permissionsBoundary,
    budget,
  },
  'expected an object such as { auth: "key", logRetentionDays: 30 }',
)
