import type { CodeRule } from './code-rule.ts'
import { MONEY_WALL, verdict } from '../verdict.ts'

const REQUEST_STATUSES = [400, 404, 405, 410, 413, 415, 422]
const CONTEXT = verdict('context_length')

/**
 * Codes that mean one thing wherever they occur, because they are words and not numbers: the vocabulary that
 * OpenAI's and Anthropic's imitators share. What clashes between providers stands in their own tables only.
 */
export const COMMON_REQUEST_CODES: readonly CodeRule[] = [
  {
    codes: ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation', 'content_blocked'],
    gives: verdict('content_filter'),
  },
  {
    // https://platform.openai.com/docs/api-reference/responses-streaming names the last two.
    codes: [
      'data_inspection_failed',
      'moderation_blocked',
      'prompt_blocked',
      'invalid_prompt',
      'image_content_policy_violation',
      'sensitive_words_detected',
      'sensitive_word_detected',
    ],
    gives: verdict('content_filter'),
  },
  {
    codes: [
      'context_length_exceeded',
      'exceed_context_size_error',
      'context_window_exceeded',
      'max_context_length_exceeded',
      'model_max_prompt_tokens_exceeded',
    ],
    gives: CONTEXT,
  },
  {
    codes: ['request_too_large', 'payload_too_large', 'tokens_limit_reached'],
    gives: verdict('payload_too_large'),
  },
]

/** Accounts that are empty or capped. */
export const COMMON_MONEY_CODES: readonly CodeRule[] = [
  {
    codes: [
      'insufficient_quota',
      'insufficient_user_quota',
      'insufficient_balance',
      'insufficient_credits',
      'insufficient_funds',
      'billing_hard_limit_reached',
      'billing_not_active',
      'billing_error',
      'credit_limit',
      'budget_exceeded',
      'balance_depleted',
      'pre_consume_token_quota_failed',
      'Arrearage',
    ],
    gives: MONEY_WALL,
  },
]

/** Keys that are refused, and models that are not there. */
export const COMMON_TARGET_CODES: readonly CodeRule[] = [
  {
    codes: [
      'invalid_api_key',
      'incorrect_api_key',
      'API_KEY_INVALID',
      'invalid_authentication_error',
      'authentication_error',
      'account_deactivated',
      'organization_restricted',
    ],
    status: [400, 403],
    gives: verdict('auth'),
  },
  { codes: ['unsupported_country_region_territory'], gives: verdict('permission', { scope: 'provider' }) },
  { codes: ['model_not_found'], status: [403], gives: verdict('permission') },
  {
    codes: [
      'model_not_found',
      'model_not_exist',
      'unknown_model',
      'invalid_model',
      'no_such_model',
      'model_decommissioned',
      'model_deprecated',
      'ModelNotFound',
      'DeploymentNotFound',
    ],
    status: REQUEST_STATUSES,
    gives: verdict('model_not_found'),
  },
  {
    codes: [
      'model_not_available',
      'model_not_supported',
      'model_unavailable',
      'unavailable_model',
      'dedicated_endpoint_not_running',
      'unsupported_model',
      'model_disabled',
    ],
    status: REQUEST_STATUSES,
    gives: verdict('model_unavailable'),
  },
  { codes: ['model_cold', 'model_loading'], gives: verdict('loading') },
  {
    codes: ['unknown_url', 'invalid_url'],
    status: REQUEST_STATUSES,
    gives: verdict('model_not_found', { scope: 'endpoint' }),
  },
]

/** Fields that this provider does not take; whether model or provider is meant, the text tells. */
export const COMMON_FIELD_CODES: readonly string[] = [
  'unsupported_parameter',
  'unknown_parameter',
  'unsupported_value',
  'extra_forbidden',
  'wrong_api_format',
  'invalid_prefill',
]

/** The status that a typed error stands for, where a 200 carries it and claims no status. */
export const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['too_many_requests_error', 429],
  ['too_many_requests', 429],
  ['timeout_error', 504],
  ['overloaded_error', 503],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
])
