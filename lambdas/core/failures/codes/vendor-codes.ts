import type { CodeRule } from './code-rule.ts'
import { MONEY_WALL, verdict } from '../verdict.ts'

const AUTH = verdict('auth')
const CONTENT_FILTER = verdict('content_filter')
const CONTEXT = verdict('context_length')
const MODEL_GONE = verdict('model_not_found')
const MODEL_LIMIT = verdict('rate_limit', { scope: 'model' })
const NO_ACCESS = verdict('permission')
const KEY_MAY_NOT = verdict('permission', { scope: 'key' })
const OVERLOADED = verdict('overloaded')
const WINDOW_SPENT = verdict('quota_exhausted')
const FIELD_REFUSED = verdict('unsupported_param')

/** https://platform.openai.com/docs/guides/error-codes */
export const OPENAI_CODES: readonly CodeRule[] = [
  { codes: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'], gives: MONEY_WALL },
  { codes: ['account_deactivated', 'organization_deactivated'], gives: AUTH },
  { codes: ['unsupported_country_region_territory'], gives: verdict('permission', { scope: 'provider' }) },
  { codes: ['invalid_prompt', 'content_policy_violation', 'cyber_policy_violation'], gives: CONTENT_FILTER },
  { codes: ['unknown_url'], gives: verdict('model_not_found', { scope: 'endpoint' }) },
]

/** https://learn.microsoft.com/azure/ai-foundry/openai/reference */
export const AZURE_CODES: readonly CodeRule[] = [
  { codes: ['content_filter', 'ResponsibleAIPolicyViolation'], gives: CONTENT_FILTER },
  { codes: ['DeploymentNotFound', 'ModelDeprecated', 'ModelRetired'], gives: MODEL_GONE },
  {
    codes: ['OperationNotSupported', 'ServiceModelDeprecating', 'ServiceModelDeprecated'],
    gives: verdict('model_unavailable'),
  },
  { codes: ['EngineOverloaded', 'NoCapacity'], gives: OVERLOADED },
  { codes: ['DeploymentNotReady'], gives: verdict('loading') },
  {
    says: /Virtual Network|Firewall rules|public access is disabled|private endpoint/i,
    status: [403],
    gives: verdict('permission', { scope: 'endpoint' }),
  },
  { says: /^Resource not found$/i, status: [404], gives: verdict('model_not_found', { scope: 'endpoint' }) },
]

/** https://docs.anthropic.com/en/api/errors */
export const ANTHROPIC_CODES: readonly CodeRule[] = [
  // Clears by no wait, but a shorter prompt needs no extra usage.
  { says: /Extra usage is required for long context/i, gives: CONTEXT },
  { says: /You will regain access on/i, gives: WINDOW_SPENT },
  { says: /reached your (?:specified )?API usage limits|out of extra usage/i, gives: MONEY_WALL },
  { codes: ['billing_error'], gives: MONEY_WALL },
  { codes: ['overloaded_error'], gives: verdict('overloaded', { scope: 'provider' }) },
  { codes: ['request_too_large'], gives: verdict('payload_too_large') },
  { codes: ['not_found_error'], says: /^model: /, gives: MODEL_GONE },
]

/** https://ai.google.dev/gemini-api/docs/troubleshooting; quota ids name their window. */
export const GEMINI_CODES: readonly CodeRule[] = [
  { codes: ['API_KEY_INVALID', 'API_KEY_EXPIRED', 'API_KEY_SERVICE_BLOCKED'], gives: AUTH },
  { codes: ['SERVICE_DISABLED', 'CONSUMER_SUSPENDED'], gives: KEY_MAY_NOT },
  { codes: ['MODEL_CAPACITY_EXHAUSTED'], gives: OVERLOADED },
  { codes: ['RESOURCE_EXHAUSTED'], says: /prepayment credits|credits are depleted/i, gives: MONEY_WALL },
  // A limit of zero is no limit reached: the model is not in this tier.
  { codes: ['RESOURCE_EXHAUSTED'], says: /\blimit: 0\b/i, gives: NO_ACCESS },
  { codes: ['RESOURCE_EXHAUSTED'], evidence: /"quotaValue":\s?"0"/, gives: NO_ACCESS },
  { codes: ['RESOURCE_EXHAUSTED'], says: /no capacity|overloaded|high demand/i, gives: OVERLOADED },
  {
    codes: ['RESOURCE_EXHAUSTED'],
    evidence: /"quotaId":\s?"[^"]*PerDay/,
    gives: verdict('quota_exhausted', { scope: 'model' }),
  },
  { codes: ['RESOURCE_EXHAUSTED'], says: /spend(?:ing)? (?:cap|limit)/i, gives: MONEY_WALL },
  { codes: ['RESOURCE_EXHAUSTED'], gives: MODEL_LIMIT },
  { codes: ['DEADLINE_EXCEEDED'], gives: verdict('timeout', { scope: 'model' }) },
]

/** https://docs.mistral.ai/api; numbers are the platform's own. */
export const MISTRAL_CODES: readonly CodeRule[] = [
  { says: /blocked by guardrail/i, gives: verdict('content_filter', { tryNext: false }) },
  { codes: ['1500', 'invalid_model', '3040'], gives: MODEL_GONE },
  { codes: ['3051'], gives: CONTEXT },
  { codes: ['3505', 'service_tier_capacity_exceeded'], gives: verdict('site_capacity') },
  { says: /number of function calls and responses|tool call id/i, gives: verdict('bad_request') },
  { codes: ['invalid_request_message_order'], gives: FIELD_REFUSED },
]

/** https://docs.cohere.com/reference/errors */
export const COHERE_CODES: readonly CodeRule[] = [
  { says: /limited to \d+ API calls \/ month/i, gives: WINDOW_SPENT },
  { says: /^unknown field:/i, gives: FIELD_REFUSED },
]

/** https://docs.x.ai/docs/key-information/debugging; the code field holds a sentence. */
export const XAI_CODES: readonly CodeRule[] = [
  {
    says: /used all available credits|monthly spending limit|doesn't have any credits|purchase (?:more )?credits/i,
    gives: MONEY_WALL,
  },
  { says: /violates usage guidelines|SAFETY_CHECK_TYPE/i, gives: CONTENT_FILTER },
  { says: /model is at capacity/i, gives: OVERLOADED },
]

/** https://api-docs.deepseek.com/quick_start/error_codes */
export const DEEPSEEK_CODES: readonly CodeRule[] = [
  { says: /^Insufficient Balance/i, gives: MONEY_WALL },
  { says: /Content Exists Risk/i, gives: CONTENT_FILTER },
  // Two models behind one service: what is busy is all of it.
  {
    says: /(?:server|service) (?:is )?(?:too )?(?:busy|overloaded)|temporarily unavailable/i,
    status: [429, 500, 502, 503],
    gives: verdict('overloaded', { scope: 'provider' }),
  },
]

/** https://docs.bigmodel.cn/cn/faq/api-code and https://docs.z.ai/api-reference/api-code; texts come in two languages. */
export const ZHIPU_CODES: readonly CodeRule[] = [
  { codes: ['1000', '1001', '1002', '1003', '1004', '1100', '1110', '1111', '1112', '1121'], gives: AUTH },
  { codes: ['1113', '1309'], gives: MONEY_WALL },
  { codes: ['1210', '1212', '1215'], gives: FIELD_REFUSED },
  { codes: ['1211', '1222'], gives: MODEL_GONE },
  { codes: ['1221'], gives: verdict('model_unavailable') },
  { codes: ['1213', '1214'], gives: verdict('bad_request') },
  { codes: ['1120', '1220'], gives: KEY_MAY_NOT },
  { codes: ['1311'], gives: NO_ACCESS },
  { codes: ['1261'], gives: CONTEXT },
  { codes: ['1301'], gives: CONTENT_FILTER },
  { codes: ['1302', '1303', '1313'], gives: verdict('rate_limit') },
  { codes: ['1305', '1312'], gives: OVERLOADED },
  {
    codes: ['1304', '1308', '1310', '1314', '1315', '1316', '1317', '1318', '1319', '1320', '1321'],
    gives: WINDOW_SPENT,
  },
  { codes: ['1230', '1234', '500'], gives: verdict('server_error') },
]

/** https://platform.moonshot.ai/docs/api/chat#error-codes: three causes share 429, the type tells them apart. */
export const MOONSHOT_CODES: readonly CodeRule[] = [
  {
    codes: ['access_terminated_error'],
    says: /only available for|coding agents|violat/i,
    gives: KEY_MAY_NOT,
  },
  { codes: ['access_terminated_error'], gives: WINDOW_SPENT },
  { codes: ['exceeded_current_quota_error'], gives: MONEY_WALL },
  { codes: ['engine_overloaded_error'], gives: OVERLOADED },
  { codes: ['resource_not_found_error'], gives: MODEL_GONE },
  { codes: ['content_filter'], gives: CONTENT_FILTER },
  { codes: ['rate_limit_reached_error'], says: /\bTPD\b|per day/i, gives: WINDOW_SPENT },
  { codes: ['rate_limit_reached_error'], gives: verdict('rate_limit') },
  { codes: ['permission_denied_error'], gives: KEY_MAY_NOT },
]

/** https://help.aliyun.com/zh/model-studio/error-code; `insufficient_quota` is a minute's allocation here. */
export const DASHSCOPE_CODES: readonly CodeRule[] = [
  { codes: ['Arrearage'], gives: MONEY_WALL },
  {
    codes: ['AllocationQuota.FreeTierOnly'],
    gives: verdict('quota_exhausted', { class: 'non_retryable', scope: 'model' }),
  },
  {
    codes: [
      'Throttling',
      'Throttling.RateQuota',
      'Throttling.BurstRate',
      'Throttling.AllocationQuota',
      'limit_requests',
      'limit_burst_rate',
      'insufficient_quota',
    ],
    status: [429],
    gives: MODEL_LIMIT,
  },
  { codes: ['CommodityNotPurchased', 'PrepaidBillOverdue', 'PostpaidBillOverdue'], gives: MONEY_WALL },
  { codes: ['data_inspection_failed', 'DataInspectionFailed'], gives: CONTENT_FILTER },
  { codes: ['Model.AccessDenied', 'App.AccessDenied'], gives: NO_ACCESS },
  { codes: ['Workspace.AccessDenied', 'AccessDenied'], status: [403], gives: KEY_MAY_NOT },
  { codes: ['ModelNotFound', 'model_not_found'], status: [400, 404], gives: MODEL_GONE },
  { codes: ['ModelServingError', 'ModelUnavailable'], gives: OVERLOADED },
  { codes: ['RequestTimeOut'], gives: verdict('timeout', { scope: 'model' }) },
]

/** A withdrawn model answers as if the account were empty. https://github.com/modelscope/modelscope/issues/1691 */
export const MODELSCOPE_CODES: readonly CodeRule[] = [
  { codes: ['insufficient_balance_error'], says: /\(1008\)/, gives: MODEL_GONE },
]
