import { addedBody, addedHeaders } from '../../../lambdas/config/schema/added-schema.ts'
import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import type { NoteKind } from '../report.ts'
import { endpointTimeouts, TIMEOUT_ADVICE } from '../timeouts.ts'
import { looksSecret } from '../looks-secret.ts'
import { numberOf, statedFields, textOf } from '../read-values.ts'
import { MODEL_INFO_ADVICE, PARAMETER_ADVICE, REQUEST_FIELDS, UNKNOWN_PARAMETER } from './parameter-advice.ts'

type Parameters = Readonly<Record<string, unknown>>
type Tell = (kind: NoteKind, what: string, advice: string) => void

/** Parameters that other files read. */
const READ = new Set(
  (
    'model api_base base_url api_key api_version custom_llm_provider litellm_credential_name aws_region_name weight ' +
    'order rpm tpm max_parallel_requests timeout stream_timeout request_timeout input_cost_per_token ' +
    'output_cost_per_token cache_read_input_token_cost extra_headers headers default_headers extra_body organization'
  ).split(' '),
)
/** Of `model_info`. */
export const READ_INFO: ReadonlySet<string> = new Set(
  (
    'mode max_input_tokens supports_function_calling supports_vision input_cost_per_token output_cost_per_token ' +
    'cache_read_input_token_cost id base_model'
  ).split(' '),
)

/** What a deployment says of its endpoint beside its place: limits, prices, abilities, fields and headers to add. */
export function endpointFields(
  parameters: Parameters,
  info: Parameters,
  isOwnNetwork: boolean,
  tell: Tell,
): JsonObject {
  const window = countOf(info['max_input_tokens'])
  for (const [name] of statedFields(parameters)) {
    const [kind, advice] = PARAMETER_ADVICE[name] ?? ['no_counterpart', UNKNOWN_PARAMETER]
    if (!READ.has(name) && !READ_INFO.has(name) && !REQUEST_FIELDS.has(name))
      tell(kind, `litellm_params.${name}`, advice)
  }
  for (const [name] of statedFields(info)) {
    if (!READ_INFO.has(name)) tell('no_counterpart', 'model_info', MODEL_INFO_ADVICE)
  }
  return {
    ...(window !== undefined && { contextWindow: window }),
    ...flag('tools', info['supports_function_calling']),
    ...flag('vision', info['supports_vision']),
    ...priceOf({ ...info, ...parameters }),
    ...quotasOf(parameters, tell),
    ...headersOf(parameters, tell),
    ...bodyOf(parameters, tell),
    ...timeoutsOf(parameters, isOwnNetwork, tell),
  }
}

const flag = (name: string, value: unknown): JsonObject =>
  typeof value === 'boolean' ? { [name]: value } : {}

/** A whole number from 1; undefined for anything else. */
function countOf(value: unknown): number | undefined {
  const count = Math.floor(numberOf(value) ?? 0)
  return count >= 1 && Number.isSafeInteger(count) ? count : undefined
}

const MILLION = 1_000_000
/** Beyond this it is a slip of the pen, not a price. */
const HIGHEST_PRICE = 1
const isPrice = (price: number | undefined): price is number =>
  price !== undefined && price >= 0 && price <= HIGHEST_PRICE
const perMillion = (dollars: number): number => Number((dollars * MILLION).toPrecision(6))

function priceOf(stated: Parameters): JsonObject {
  const [input, output] = [
    numberOf(stated['input_cost_per_token']),
    numberOf(stated['output_cost_per_token']),
  ]
  const cached = numberOf(stated['cache_read_input_token_cost'])
  if (!isPrice(input) || !isPrice(output)) return {}
  const cachedInput = isPrice(cached) ? { cachedInput: perMillion(cached) } : {}
  return { price: { input: perMillion(input), output: perMillion(output), ...cachedInput } }
}

const QUOTAS = {
  rpm: 'requestsPerMinute',
  tpm: 'tokensPerMinute',
  max_parallel_requests: 'concurrency',
} as const

function quotasOf(parameters: Parameters, tell: Tell): JsonObject {
  const quotas = Object.entries(QUOTAS).flatMap(([from, to]) => {
    const limit = countOf(parameters[from])
    if (parameters[from] !== undefined && limit === undefined)
      tell('no_counterpart', `litellm_params.${from}`, 'it is no whole number from 1; nothing was written.')
    return limit === undefined ? [] : [[to, limit] as const]
  })
  return quotas.length === 0 ? {} : { quotas: Object.fromEntries(quotas) }
}

const NOT_IN_FILES =
  'headers that carry keys, or that the gateway writes itself, are not written. A key belongs in the variable of its provider.'

function headersOf(parameters: Parameters, tell: Tell): JsonObject {
  const stated = ['headers', 'default_headers', 'extra_headers'].flatMap(name =>
    statedFields(parameters[name]),
  )
  const organization = parameters['organization']
  const all = [...stated, ...(organization ? [['OpenAI-Organization', organization] as const] : [])]
  const headers = all.flatMap(([name, value]) => {
    const text = textOf(value)
    const isFit =
      text !== undefined && !looksSecret(name, text) && addedHeaders.safeParse({ [name]: text }).success
    if (!isFit) tell('no_counterpart', `the header ${name}`, NOT_IN_FILES)
    return isFit ? [[name, text] as const] : []
  })
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}

function bodyOf(parameters: Parameters, tell: Tell): JsonObject {
  const preset = statedFields(parameters).filter(([name]) => REQUEST_FIELDS.has(name))
  const fields = [...preset, ...statedFields(parameters['extra_body'])].flatMap(([name, value]) => {
    const json = plainJson(value)
    const isFit =
      json !== undefined && addedBody.safeParse({ [name]: json }).success && !looksSecret(name, json)
    if (!isFit)
      tell(
        'no_counterpart',
        `extra_body.${name}`,
        'it cannot be added to each request: it is the client\u2019s, or may be a key.',
      )
    return isFit ? [[name, json] as const] : []
  })
  return fields.length === 0 ? {} : { body: Object.fromEntries(fields) }
}

/** A value without what JSON cannot say. */
function plainJson(value: unknown): Json | undefined {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : (JSON.parse(text) as Json)
}

function timeoutsOf(parameters: Parameters, isOwnNetwork: boolean, tell: Tell): JsonObject {
  const stated = ['stream_timeout', 'timeout', 'request_timeout'].filter(
    name => parameters[name] !== undefined,
  )
  const secondsOf = (name: string): number => numberOf(parameters[name]) ?? 0
  for (const name of stated.filter(name => secondsOf(name) <= 0))
    tell(
      'no_counterpart',
      `litellm_params.${name}`,
      'it is no number of seconds above 0; nothing was written.',
    )
  const used = stated.find(name => secondsOf(name) > 0)
  if (used === undefined) return {}
  tell('different', `litellm_params.${used}`, TIMEOUT_ADVICE)
  return endpointTimeouts(secondsOf(used) * 1_000, isOwnNetwork)
}
