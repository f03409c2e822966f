import * as z from 'zod/mini'
import { FAILURE_KINDS } from '../lambdas/core/failures/kinds.ts'
import { QUOTA_NAMES } from '../lambdas/core/quota/quotas.ts'
import { SKIP_REASONS } from '../lambdas/core/routing/plan.ts'
import type { ModelView } from '../lambdas/core/routing/view/model-view.ts'
import { rememberedSchema } from '../lambdas/store/item-codec.ts'

// As in the local contract: whatever arrives is checked, and what a reader does not know is let through.

const listOf = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item))
const text = z.nullable(z.string())
const quantity = z.nullable(z.number())
const health = z.enum(['healthy', 'suspect', 'quarantined'])

const hopSchema = z.looseObject({
  endpoint: z.string(),
  id: z.string(),
  provider: z.string(),
  tier: z.number(),
  place: quantity,
  called: z.boolean(),
  test: z.boolean(),
  health,
  reason: z.nullable(z.enum(SKIP_REASONS)),
  cause: z.nullable(z.enum(FAILURE_KINDS)),
  until: quantity,
  next_probe_at: quantity,
  by_hand: z.exactOptional(z.string()),
  key_variable: z.exactOptional(z.string()),
  words: z.string(),
})

/** One model: whether it answers now, from where, and what is with each endpoint of its chain. */
const modelSchema = z.looseObject({
  model: z.string(),
  kind: z.enum(['chat', 'embeddings']),
  answers: z.boolean(),
  /** Of an older gateway, not told. */
  doubtful: z._default(z.boolean(), false),
  answered_by: text,
  tier: quantity,
  tiers: z.number(),
  next: z.nullable(
    z.object({
      what: z.enum(['probe', 'breaker test', 'cooldown', 'quota']),
      at: z.number(),
      endpoint: z.string(),
    }),
  ),
  chain: listOf(hopSchema),
}) satisfies z.ZodMiniType<ModelView>

/** `GET /v1/endpoints`, and with `?model=` of one model. */
export const endpointsSchema = z.object({
  mode: z._default(z.enum(['normal', 'degraded']), 'normal'),
  /** Of an older gateway, not known. */
  table_read_at: z.exactOptional(quantity),
  /** Of an older gateway, none. */
  models: z._default(listOf(modelSchema), []),
  data: listOf(
    z.looseObject({
      endpoint: z.string(),
      id: z.string(),
      provider: z.string(),
      missing_key: z.boolean(),
      usable: z.boolean(),
      health,
      since: quantity,
      next_probe_at: quantity,
      by_hand: z.exactOptional(z.string()),
      last_failure: z.nullable(
        z.object({ kind: z.string(), status: quantity, message: z.string(), at: z.number() }),
      ),
      retired: z._default(z.boolean(), false),
      suggestion: z._default(text, null),
      breaker: z.enum(['closed', 'open', 'half-open']),
      trial_at: quantity,
      cooldowns: listOf(z.object({ scope: z.string(), key: text, reason: z.string(), until: z.number() })),
      refuses: listOf(rememberedSchema),
      quotas: z._default(
        listOf(
          z.object({
            key: text,
            scope: z.enum(['key', 'endpoint']),
            name: z.enum(QUOTA_NAMES),
            limit: z.number(),
            left: z.number(),
            returns_at: quantity,
          }),
        ),
        [],
      ),
      successes: z.number(),
      failures: z.number(),
    }),
  ),
})
export type EndpointsAnswer = z.infer<typeof endpointsSchema>
