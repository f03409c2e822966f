import * as z from 'zod/mini'
import { perCapability } from '../../core/capabilities.ts'
import { NATIVE_API_NAMES } from '../../core/native-call.ts'
import { perQuota, QUOTAS } from '../../core/quota/quotas.ts'
import { recordOf } from '../../core/record-of.ts'
import { SETTINGS } from '../../core/settings/settings.ts'
import type { SettingName, Settings } from '../../core/settings/settings.ts'
import { STRATEGY_NAMES } from '../../core/order/strategies.ts'
import { addedBody, addedHeaders } from './added-schema.ts'
import { aliasClients, clientsSchema } from './clients-schema.ts'
import { deploySchema } from './deploy-schema.ts'
import { SETTING_NAMES, acceptsSetting, describeSetting } from '../../core/settings/setting-values.ts'

// Every schema's message says what was expected; `findProblems` adds the path, the value and the nearest name.

const numberFrom = (min: number, max: number, unit: string) => {
  const expected = `expected ${unit} from ${min} to ${max}`
  return z.optional(z.number(expected).check(z.gte(min, expected), z.lte(max, expected)))
}
const milliseconds = ({ min, max }: { min: number; max: number }) => numberFrom(min, max, 'milliseconds')
const flag = z.optional(z.boolean('expected true or false'))

const timeouts = {
  connectTimeoutMs: milliseconds(SETTINGS.connect_timeout_ms),
  firstOutputTimeoutMs: milliseconds(SETTINGS.first_output_timeout_ms),
  /** An older name of `firstOutputTimeoutMs`. */
  firstEventTimeoutMs: milliseconds(SETTINGS.first_output_timeout_ms),
  idleTimeoutMs: milliseconds(SETTINGS.idle_timeout_ms),
  totalTimeoutMs: milliseconds(SETTINGS.stream_total_ms),
}

const noKey = z.optional(z.literal(false, 'expected false, for a host that needs no key'))

const wire = z.optional(
  z.union(
    [
      z.literal(false),
      z.strictObject({
        path: z.optional(z.string('expected a path or a URL')),
        stateful: flag,
      }),
    ],
    'expected false, or an object such as {} or { path: "/api/messages" }',
  ),
)

/** Other APIs that a host serves beside the chat completions. */
const wires = z.optional(
  z.strictObject(
    recordOf(NATIVE_API_NAMES, () => wire),
    'expected an object such as { responses: {} }',
  ),
)

/** Limits that the provider keeps: of each key, or of each key and one model. */
const quotas = z.optional(
  z.strictObject(
    perQuota(name =>
      z.optional(
        z
          .int(`expected ${QUOTAS[name].counts === 'tokens' ? 'tokens' : 'requests'}, at least 1`)
          .check(z.gte(1, 'expected at least 1')),
      ),
    ),
    'expected an object such as { requestsPerMinute: 20, tokensPerDay: 500_000 }',
  ),
)

export const providerConfigSchema = z.strictObject(
  {
    wires,
    like: z.optional(z.string('expected the ID of a provider of the catalogue')),
    headers: addedHeaders,
    body: addedBody,
    baseUrl: z.optional(z.string('expected a URL such as "https://llm.example.com/v1"')),
    key: noKey,
    quotas,
    ...timeouts,
  },
  'expected an object such as {} or { baseUrl: "https://llm.example.com/v1" }',
)

const dollars = z.number('expected dollars per million tokens').check(z.gte(0, 'expected 0 or more dollars'))

export const endpointConfigSchema = z.strictObject(
  {
    endpoint: z.string('expected "<provider>/<upstream model>"'),
    wires,
    headers: addedHeaders,
    body: addedBody,
    probe: z.optional(z.literal(false, 'expected false, for an endpoint that is never probed')),
    contextWindow: z.optional(
      z.int('expected a whole number of tokens').check(z.gte(1, 'expected at least one token')),
    ),
    ...perCapability(() => flag),
    price: z.optional(
      z.strictObject(
        { input: dollars, output: dollars, cachedInput: z.optional(dollars) },
        'expected { input, output } in dollars per million tokens',
      ),
    ),
    weight: numberFrom(0, 1_000, 'a share'),
    key: noKey,
    quotas,
    ...timeouts,
  },
  'expected "<provider>/<upstream model>" or { endpoint: "<provider>/<upstream model>", … }',
)

const AFTER = 'expected milliseconds from 50 to 600000'
const hedge = z.optional(
  z.union(
    [
      z.boolean(),
      z.strictObject({ afterMs: z.number(AFTER).check(z.gte(50, AFTER), z.lte(600_000, AFTER)) }),
    ],
    'expected true, false, or an object such as { afterMs: 800 }',
  ),
)

const TIER =
  'expected a list of endpoints that serve the same model, or { alias: "<model>" } for the chain of another model'
const tier = z.array(
  z.union(
    [z.string(), endpointConfigSchema],
    'expected "<provider>/<upstream model>" or an object with it as endpoint',
  ),
  TIER,
)

export const modelConfigSchema = z.strictObject(
  {
    tiers: z.array(
      z.union([z.strictObject({ alias: z.string() }), tier], TIER),
      'expected a list of tiers, the best first, each a list of endpoints',
    ),
    strategy: z.optional(
      z.enum(STRATEGY_NAMES, `expected one of ${STRATEGY_NAMES.map(name => `"${name}"`).join(', ')}`),
    ),
    buffer: flag,
    clients: aliasClients,
    sticky: flag,
    hedge,
    kind: z.optional(z.enum(['chat', 'embeddings'], 'expected "chat" or "embeddings"')),
    ...timeouts,
  },
  'expected an object such as { tiers: [["openai/gpt-4o"]] }',
)

const setting = (name: SettingName) =>
  z.optional(
    z.custom<Settings[SettingName]>(
      value => acceptsSetting(name, value),
      `expected ${describeSetting(name)}`,
    ),
  )

export const settingsSchema = z.strictObject(
  Object.fromEntries(SETTING_NAMES.map(name => [name, setting(name)])),
  'expected an object of settings such as { retry_max_attempts: 4 }',
)

/** The shape of `infra/gateway.config.ts`; what spans several places is checked by `crossCheck`. */
export const gatewayConfigSchema = z.strictObject(
  {
    providers: z.optional(
      z.record(z.string(), providerConfigSchema, 'expected an object of providers by id'),
    ),
    /** Where editors find the schema of a JSON file. */
    $schema: z.optional(z.string('expected the place of a JSON Schema')),
    models: z.record(z.string(), modelConfigSchema, 'expected an object of models by alias'),
    default: z.optional(z.string('expected the name of a model')),
    clients: z.optional(clientsSchema),
    settings: z.optional(settingsSchema),
    deploy: z.optional(deploySchema),
  },
  'expected an object { providers, models, clients, settings, deploy }',
)
