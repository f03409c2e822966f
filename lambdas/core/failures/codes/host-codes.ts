import type { CodeRule } from './code-rule.ts'
import { MONEY_WALL, verdict } from '../verdict.ts'

const AUTH = verdict('auth')
const MODEL_GONE = verdict('model_not_found')
const MODEL_DOWN = verdict('model_unavailable')
const NO_ACCESS = verdict('permission')
const KEY_MAY_NOT = verdict('permission', { scope: 'key' })
const OVERLOADED = verdict('overloaded')
const SITE_CAPACITY = verdict('site_capacity')
const MODEL_LIMIT = verdict('rate_limit', { scope: 'model' })
const MODEL_DAY_SPENT = verdict('quota_exhausted', { scope: 'model' })
const BAD_OUTPUT = verdict('malformed_response', { scope: 'model' })
const FIELD_REFUSED = verdict('unsupported_param')

/** https://console.groq.com/docs/errors */
export const GROQ_CODES: readonly CodeRule[] = [
  { codes: ['organization_restricted'], gives: AUTH },
  { codes: ['blocked_api_access'], gives: MONEY_WALL },
  { codes: ['model_decommissioned'], gives: MODEL_GONE },
  {
    codes: ['model_terms_required', 'model_permission_blocked_org', 'model_permission_blocked_project'],
    gives: NO_ACCESS,
  },
  // The model wrote something that does not parse: the request was fine.
  { codes: ['tool_use_failed', 'json_validate_failed', 'output_parse_failed'], gives: BAD_OUTPUT },
  { codes: ['capacity_exceeded'], gives: SITE_CAPACITY },
  { codes: ['unknown_url'], gives: verdict('model_not_found', { scope: 'endpoint' }) },
]

/** https://inference-docs.cerebras.ai/support/error; limits are per model, in minutes, hours and days. */
export const CEREBRAS_CODES: readonly CodeRule[] = [
  { codes: ['queue_exceeded'], gives: SITE_CAPACITY },
  {
    codes: ['request_quota_exceeded', 'token_quota_exceeded'],
    says: /per (?:day|hour)/i,
    gives: MODEL_DAY_SPENT,
  },
  {
    codes: ['request_quota_exceeded', 'token_quota_exceeded'],
    says: /per minute|per second/i,
    gives: MODEL_LIMIT,
  },
  { codes: ['wrong_api_key'], gives: AUTH },
]

/** https://developers.cloudflare.com/workers-ai/platform/errors/ (the live daily code 4006 is missing there). */
export const CLOUDFLARE_CODES: readonly CodeRule[] = [
  { codes: ['10000', '9109', '10001'], gives: AUTH },
  { codes: ['3036', '4006'], gives: verdict('quota_exhausted') },
  { codes: ['3040'], gives: SITE_CAPACITY },
  { codes: ['5007', '3042', '5028'], gives: MODEL_GONE },
  { codes: ['5016', '5018', '3041'], gives: NO_ACCESS },
  { codes: ['3023'], gives: KEY_MAY_NOT },
  { codes: ['3007', '3008'], gives: verdict('timeout', { scope: 'model' }) },
  { codes: ['3006'], gives: verdict('payload_too_large') },
  { codes: ['5021'], gives: verdict('context_length') },
  { codes: ['5005'], gives: verdict('unsupported_param', { scope: 'model' }) },
  { codes: ['7000', '7003'], gives: verdict('model_not_found', { scope: 'endpoint' }) },
]

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html; one type has many causes. */
export const BEDROCK_CODES: readonly CodeRule[] = [
  {
    codes: [
      'ExpiredTokenException',
      'UnrecognizedClientException',
      'InvalidSignatureException',
      'MissingAuthenticationTokenException',
      'IncompleteSignature',
      'InvalidClientTokenId',
    ],
    gives: AUTH,
  },
  { says: /is not authorized to perform|explicit deny/i, gives: NO_ACCESS },
  {
    says: /(?:api key|bearer token).{0,40}(?:valid|expired)|security token.{0,40}(?:expired|invalid)/i,
    status: [400, 401, 403],
    gives: AUTH,
  },
  {
    says: /use case details|access to the model|(?:not|n't) have access to (?:the|this) model/i,
    gives: NO_ACCESS,
  },
  { says: /unsupported countr|not allowed from/i, gives: verdict('permission', { scope: 'provider' }) },
  { says: /end of (?:its )?life/i, gives: MODEL_GONE },
  {
    says: /marked by provider as Legacy|on-demand throughput isn't supported|doesn't support the (?:Converse|chat)/i,
    gives: MODEL_DOWN,
  },
  { says: /model identifier is invalid|Could not resolve the foundation model/i, gives: MODEL_GONE },
  { says: /^Operation not allowed/i, gives: NO_ACCESS },
  { codes: ['ModelNotReadyException'], gives: verdict('loading') },
  { codes: ['ServiceQuotaExceededException'], gives: verdict('quota_exhausted') },
  { codes: ['ThrottlingException'], says: /per day/i, gives: verdict('quota_exhausted') },
  { codes: ['ThrottlingException'], gives: MODEL_LIMIT },
  { codes: ['ModelTimeoutException'], gives: verdict('timeout', { scope: 'model' }) },
  {
    codes: ['ModelErrorException', 'ModelStreamErrorException'],
    gives: verdict('server_error', { scope: 'model' }),
  },
  { codes: ['InternalServerException'], gives: verdict('server_error') },
  { codes: ['ServiceUnavailableException'], gives: OVERLOADED },
]

/** https://huggingface.co/docs/inference-providers; the router relays what its sub-providers say. */
export const HUGGINGFACE_CODES: readonly CodeRule[] = [
  { codes: ['model_not_supported'], gives: MODEL_DOWN },
  {
    says: /https?:\/\/\S+ is no longer supported/i,
    status: [410],
    gives: verdict('model_unavailable', { scope: 'endpoint' }),
  },
  // Included credits come back on the first of the month by themselves.
  { says: /exceeded your monthly included credits/i, gives: verdict('quota_exhausted') },
  { says: /does not have sufficient permissions/i, status: [403], gives: KEY_MAY_NOT },
]

/** NVIDIA speaks problem+json; a deployment that is sick is called a degraded function. */
export const NVIDIA_CODES: readonly CodeRule[] = [
  { says: /DEGRADED function|function is (?:inactive|not active)/i, gives: MODEL_DOWN },
  { says: /^(?:Specified )?function\b.{0,80}\bnot found/i, gives: MODEL_GONE },
  { says: /credits (?:have )?expired|credits? exhausted/i, gives: MONEY_WALL },
  { says: /only supports single tool-calls/i, gives: verdict('unsupported_param', { scope: 'model' }) },
]

/** https://docs.fireworks.ai; the edge before it is Apigee, which speaks in faults. */
export const FIREWORKS_CODES: readonly CodeRule[] = [
  { codes: ['PRECONDITION_FAILED'], says: /suspended|billing|spending|invoice/i, gives: MONEY_WALL },
  { codes: ['NOT_FOUND'], says: /model/i, gives: MODEL_GONE },
  {
    codes: ['policies.ratelimit.QuotaViolation', 'policies.ratelimit.SpikeArrestViolation'],
    gives: verdict('rate_limit'),
  },
  {
    codes: [
      'oauth.v2.InvalidApiKey',
      'oauth.v2.FailedToResolveAPIKey',
      'oauth.v2.InvalidApiKeyForGivenResource',
    ],
    gives: AUTH,
  },
]

/** https://featherless.ai/docs/errors */
export const FEATHERLESS_CODES: readonly CodeRule[] = [
  { codes: ['model_cold', 'model_loading'], gives: verdict('loading') },
  { codes: ['concurrency_limit_exceeded'], gives: verdict('rate_limit') },
  { codes: ['model_gated', 'model_too_large_for_plan'], gives: NO_ACCESS },
]

/** Retired for everyone on 2026-07-30; until then the code named the window. */
export const GITHUB_CODES: readonly CodeRule[] = [
  {
    codes: ['github_models_retirement_brownout', 'github_models_retired'],
    gives: verdict('model_unavailable', { scope: 'endpoint' }),
  },
  { says: /^GitHub Models .{0,60}retire/i, gives: verdict('model_unavailable', { scope: 'endpoint' }) },
  { codes: ['unknown_model'], gives: MODEL_GONE },
  { codes: ['unavailable_model'], gives: MODEL_DOWN },
  { codes: ['no_access'], gives: NO_ACCESS },
  { codes: ['tokens_limit_reached'], gives: verdict('payload_too_large') },
  { codes: ['RateLimitReached'], says: /ByDay|per 86400s/i, gives: MODEL_DAY_SPENT },
  { codes: ['RateLimitReached'], gives: MODEL_LIMIT },
  { codes: ['unsupported_parameter', 'unsupported_value'], gives: FIELD_REFUSED },
]
