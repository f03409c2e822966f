import * as z from 'zod/mini'
import { completedLineSchema } from './local-contract.ts'

// What a gateway on this machine and a stack's log tell the commands and the local page about single requests.

const text = z.nullable(z.string())
const quantity = z.nullable(z.number())
const listOf = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item))

/** How a request can have ended; `rejected`: refused before it had a plan. */
export const REQUEST_OUTCOMES = ['answered', 'cut', 'failed', 'client-left', 'rejected'] as const
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number]

/** A request of a model that the gateway did not answer, or not to the end. */
export const FAILED_OUTCOMES = ['failed', 'cut'] as const satisfies readonly RequestOutcome[]

/** The same of a request that was refused before it had a plan. */
const rejectedLineSchema = z.object({
  event: z.literal('request-rejected'),
  requestId: z.string(),
  at: z.exactOptional(z.number()),
  caller: z.exactOptional(z.string()),
  code: z.string(),
  param: text,
  /** Absent in the log. */
  status: z.exactOptional(quantity),
})
export type RejectedLine = z.infer<typeof rejectedLineSchema>

/** Whatever became of a request. */
export const requestLineSchema = z.discriminatedUnion('event', [completedLineSchema, rejectedLineSchema])
export type RequestLine = z.infer<typeof requestLineSchema>

export const MOST_LISTED_REQUESTS = 1_000
const USUALLY_LISTED_REQUESTS = '20'

/** The query of `GET /local/requests`. */
export const requestQuerySchema = z.strictObject({
  outcome: z.exactOptional(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform(names => names.split(',')),
      ),
      z.array(z.enum(REQUEST_OUTCOMES)),
    ),
  ),
  model: z.exactOptional(z.string()),
  caller: z.exactOptional(z.string()),
  limit: z.pipe(
    z.pipe(z._default(z.string().check(z.regex(/^\d+$/)), USUALLY_LISTED_REQUESTS), z.transform(Number)),
    z.number().check(z.minimum(1), z.maximum(MOST_LISTED_REQUESTS)),
  ),
})

/** A request in a list: instants in epoch milliseconds, durations in milliseconds, tiers from 1. */
export const requestRowSchema = z.object({
  requestId: z.string(),
  at: z.number(),
  caller: text,
  alias: text,
  outcome: z.enum(REQUEST_OUTCOMES),
  status: quantity,
  code: text,
  stream: z.nullable(z.boolean()),
  servedBy: text,
  attempts: listOf(
    z.object({
      endpoint: z.string(),
      tier: z.number(),
      outcome: z.string(),
      status: quantity,
      durationMs: z.number(),
    }),
  ),
  skipped: listOf(z.object({ endpoint: z.string(), tier: z.number(), reason: z.string(), until: quantity })),
  usage: z.nullable(z.object({ promptTokens: z.number(), completionTokens: z.number() })),
  dollars: quantity,
  firstTokenMs: quantity,
  durationMs: quantity,
})
export type RequestRow = z.infer<typeof requestRowSchema>

/** `GET /local/requests`: the newest first. */
export const requestRowsSchema = z.object({ data: listOf(requestRowSchema) })
