import * as z from 'zod/mini'
import { perCapability } from '../lambdas/core/capabilities.ts'
import type { Endpoint } from '../lambdas/core/endpoint.ts'
import type { Settings } from '../lambdas/core/settings/settings.ts'
import { SETTING_NAMES, acceptsSetting } from '../lambdas/core/settings/setting-values.ts'
import { dialectSchema } from '../lambdas/store/item-codec.ts'

// What passes between a running gateway and the commands. The gateway may be of another version than the command,
// so that whatever arrives is checked; fields that a command does not know are let through.

const listOf = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item))
const text = z.nullable(z.string())
const quantity = z.nullable(z.number())
const declared = z.nullable(z.boolean())

const endpointSchema = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  baseUrl: z.string(),
  model: z.string(),
  needsKey: z.boolean(),
  isLocal: z.boolean(),
  contextWindow: quantity,
  ...perCapability(() => declared),
  droppedParams: listOf(z.string()),
  dialect: z.exactOptional(listOf(dialectSchema)),
  price: z.nullable(z.object({ input: z.number(), output: z.number() })),
  timeouts: z.object({
    connectMs: z.exactOptional(z.number()),
    firstOutputMs: z.exactOptional(z.number()),
    idleMs: z.exactOptional(z.number()),
    totalMs: z.exactOptional(z.number()),
  }),
}) satisfies z.ZodMiniType<Endpoint>

const isSettings = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  SETTING_NAMES.every(name => acceptsSetting(name, Reflect.get(value, name)))

/** `GET /local/table`: where the fleet's memory is, and what a command must know to change it as the gateway would. */
export const tableFactsSchema = z.object({
  endpoint: z.string(),
  table: z.string(),
  /** Without the operator's overrides. */
  settings: z.custom<Settings>(isSettings),
  endpoints: listOf(endpointSchema),
  /** What its configuration or environment says and it does not do. */
  warnings: listOf(z.string()),
})
export type TableFacts = z.infer<typeof tableFactsSchema>

const rankFields = {
  by: z.string(),
  weight: z.exactOptional(z.number()),
  score: z.exactOptional(z.number()),
  success: z.exactOptional(z.number()),
  sample: z.exactOptional(z.number()),
  dollars: z.exactOptional(quantity),
  explored: z.exactOptional(z.boolean()),
}
const skipFields = {
  reason: z.string(),
  until: quantity,
  cause: text,
  param: z.exactOptional(z.string()),
}

/** `GET /v1/endpoints?model=`. */
export const orderSchema = z.object({
  model: z.string(),
  strategy: z.string(),
  data: listOf(
    z.object({
      endpoint: z.string(),
      tier: z.number(),
      place: quantity,
      health: z.exactOptional(z.string()),
      rank: z.nullable(
        z.object({
          ...rankFields,
          first_output_ms: z.exactOptional(quantity),
          tokens_per_second: z.exactOptional(quantity),
          headroom: z.exactOptional(z.number()),
        }),
      ),
      skipped: z.nullable(z.object(skipFields)),
    }),
  ),
})
export type OrderLines = z.infer<typeof orderSchema>

/** `POST /local/probe`, and what the probe function of a stack returns. */
export const probeReportSchema = z.object({
  probes: listOf(
    z.object({
      endpoint: z.string(),
      outcome: z.string(),
      message: text,
      durationMs: z.number(),
    }),
  ),
})
export type ProbeLine = z.infer<typeof probeReportSchema>['probes'][number]

/** `GET /local/requests/<id>`, and the log line of a stack: what `why` reads of it. Durations in milliseconds. */
export const completedLineSchema = z.object({
  event: z.literal('request-completed'),
  requestId: z.string(),
  traceId: z.exactOptional(z.string()),
  /** Absent in the log, whose events have a time of their own. */
  at: z.exactOptional(z.number()),
  /** Absent in lines of older gateways. */
  caller: z.exactOptional(z.string()),
  alias: z.string(),
  outcome: z.enum(['answered', 'cut', 'failed', 'client-left']),
  status: z.number(),
  code: text,
  stream: z.boolean(),
  servedBy: text,
  plan: z.object({
    candidates: listOf(
      z.object({
        endpoint: z.string(),
        id: z.string(),
        tier: z.number(),
        suspect: z.boolean(),
        sticky: z.exactOptional(z.boolean()),
        rank: z.exactOptional(
          z.object({
            ...rankFields,
            firstOutputMs: z.exactOptional(quantity),
            tokensPerSecond: z.exactOptional(quantity),
            factors: z.exactOptional(z.object({ headroom: z.number() })),
          }),
        ),
      }),
    ),
    skipped: listOf(z.object({ endpoint: z.string(), tier: z.number(), ...skipFields })),
  }),
  attempts: listOf(
    z.object({
      endpoint: z.string(),
      id: z.string(),
      key: text,
      outcome: z.string(),
      status: quantity,
      startedAfterMs: z.number(),
      durationMs: z.number(),
      message: text,
    }),
  ),
  promptTokensEstimate: z.number(),
  retryTokens: z.number(),
  retryTokenBudget: z.number(),
  usage: z.nullable(z.looseObject({ promptTokens: z.number(), completionTokens: z.number() })),
  dollars: quantity,
  lostDollars: quantity,
  finishReason: text,
  malformedEvents: z.number(),
  firstTokenMs: quantity,
  durationMs: z.number(),
})
export type CompletedLine = z.infer<typeof completedLineSchema>

/** `POST /local/probe`: a pass now; `force` ignores due times, `endpoint` probes that one alone. */
export const probeEventSchema = z.object({
  force: z._default(z.boolean(), false),
  endpoint: z.exactOptional(z.string()),
})
