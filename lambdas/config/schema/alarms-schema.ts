import * as z from 'zod/mini'
import type { ThresholdName } from './alarm-thresholds.ts'

const LEVELS = ['all', 'essential', 'none'] as const
const LEVEL = 'expected "all", "essential" (few, none of them for single models), or "none"'

const count = (of: string) =>
  z.optional(z.int(`expected a whole number of ${of}`).check(z.gte(1, `expected at least one of ${of}`)))

/** When alarms go off; what is not stated stays as it is. */
const thresholds = {
  failedRequests: count('failed requests'),
  errorShare: z.optional(
    z
      .number('expected a share of 100 requests')
      .check(
        z.gt(0, 'expected more than 0 of 100 requests'),
        z.lte(100, 'expected at most 100 of 100 requests'),
      ),
  ),
  crashes: count('crashes in five minutes'),
  throttles: count('refused requests in five minutes'),
  retryTokensADay: count('tokens'),
  stateErrors: count('errors in five minutes'),
  probeErrors: count('errors in five minutes'),
  canaryFailures: z.optional(
    z
      .int('expected a whole number of failed canary requests')
      .check(
        z.gte(1, 'expected 1 to 3 failed canary requests, of the last three'),
        z.lte(3, 'expected 1 to 3 failed canary requests, of the last three'),
      ),
  ),
} satisfies Record<ThresholdName, z.ZodMiniType>

export const alarmsSchema = z.union(
  [z.enum(LEVELS), z.strictObject({ level: z.optional(z.enum(LEVELS, LEVEL)), ...thresholds }, LEVEL)],
  `${LEVEL}, or an object such as { level: "essential", errorShare: 20 }`,
)
