import { BROKEN_REQUEST, MONEY_WALL, TURN_ORDER, verdict } from '../../core/failures/verdict.ts'
import type { Quirks, RowSource } from '../provider-row.ts'
import {
  AUTH,
  CONTENT_FILTER,
  CONTEXT,
  FIELD_REFUSED,
  KEY_MAY_NOT,
  LOADING,
  MAX_TOKENS,
  messagesAt,
  MODEL_DOWN,
  MODEL_GONE,
  MODEL_LIMIT,
  MODEL_TIMEOUT,
  MODEL_WINDOW_SPENT,
  NO_ACCESS,
  NO_REASONING,
  OPENAI_ONLY,
  OVERLOADED,
  REASONING,
  SITE_CAPACITY,
  STATEFUL_RESPONSES,
  STRICT,
  WINDOW_SPENT,
  WRONG_PATH,
} from './presets.ts'
import { ANTHROPIC_PRICES, OPENAI_PRICES } from './prices.ts'

const OPENAI = {
  developerRole: 'keep',
  ...NO_REASONING,
  toolCallIds: { takes: /^.{1,40}$/s, length: 20 },
} satisfies Partial<Quirks>

/** Reasoning models refuse `max_tokens`; every other model of OpenAI's takes it, so clients keep their word. */
const OPENAI_REASONING_MODELS = {
  matching: /^(?:o\d|gpt-[5-9])/i,
  quirks: { renamedFields: [['max_tokens', 'max_completion_tokens']] },
} satisfies RowSource['modelQuirks']

/** Those who train the models that they serve. */
export const VENDORS = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    prices: OPENAI_PRICES,
    quirks: OPENAI,
    modelQuirks: OPENAI_REASONING_MODELS,
    wires: { responses: STATEFUL_RESPONSES },
    traits: { limitScope: 'model' },
    // https://platform.openai.com/docs/guides/error-codes
    codes: [
      {
        codes: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'],
        gives: MONEY_WALL,
      },
      { codes: ['account_deactivated', 'organization_deactivated'], gives: AUTH },
      {
        codes: ['unsupported_country_region_territory'],
        gives: verdict('permission', { scope: 'provider' }),
      },
      {
        codes: ['invalid_prompt', 'content_policy_violation', 'cyber_policy_violation'],
        gives: CONTENT_FILTER,
      },
      { codes: ['unknown_url'], gives: WRONG_PATH },
    ],
  },

  'azure-openai': {
    baseUrl: null,
    baseUrlExample: 'https://my-resource.openai.azure.com/openai/v1',
    authentication: { header: 'api-key' },
    quirks: OPENAI,
    modelQuirks: OPENAI_REASONING_MODELS,
    wires: { responses: { ...STATEFUL_RESPONSES, authentication: { header: 'api-key' } } },
    traits: { limitScope: 'model' },
    // https://learn.microsoft.com/azure/ai-foundry/openai/reference
    codes: [
      { codes: ['content_filter', 'ResponsibleAIPolicyViolation'], gives: CONTENT_FILTER },
      { codes: ['DeploymentNotFound', 'ModelDeprecated', 'ModelRetired'], gives: MODEL_GONE },
      {
        codes: ['OperationNotSupported', 'ServiceModelDeprecating', 'ServiceModelDeprecated'],
        gives: MODEL_DOWN,
      },
      { codes: ['EngineOverloaded', 'NoCapacity'], gives: OVERLOADED },
      { codes: ['DeploymentNotReady'], gives: LOADING },
      {
        says: /Virtual Network|Firewall rules|public access is disabled|private endpoint/i,
        status: [403],
        gives: verdict('permission', { scope: 'endpoint' }),
      },
      { says: /^Resource not found$/i, status: [404], gives: WRONG_PATH },
    ],
  },
  azure: { like: 'azure-openai', baseUrl: null },

  anthropic: {
    keyPrefix: 'sk-ant-',
    baseUrl: 'https://api.anthropic.com/v1',
    prices: ANTHROPIC_PRICES,
    quirks: {
      ...NO_REASONING,
      toolCallIds: { takes: /^[\w-]{1,64}$/, length: 20 },
      emptyTexts: 'drop',
    },
    wires: { messages: messagesAt('messages', { countsTokens: true }) },
    // https://docs.anthropic.com/en/api/errors
    codes: [
      // Clears by no wait, but a shorter prompt needs no extra usage.
      { says: /Extra usage is required for long context/i, gives: CONTEXT },
      { says: /You will regain access on/i, gives: WINDOW_SPENT },
      { says: /reached your (?:specified )?API usage limits|out of extra usage/i, gives: MONEY_WALL },
      { codes: ['billing_error'], gives: MONEY_WALL },
      { codes: ['overloaded_error'], gives: verdict('overloaded', { scope: 'provider' }) },
      { codes: ['request_too_large'], gives: verdict('payload_too_large') },
      { codes: ['not_found_error'], says: /^model: /, gives: MODEL_GONE },
      // What this country or network gets, whatever the key.
      {
        codes: ['forbidden'],
        says: /^Request not allowed/i,
        gives: verdict('permission', { scope: 'provider' }),
      },
    ],
  },

  gemini: {
    keyPrefix: 'AIza',
    keyVariables: ['GOOGLE_API_KEY'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    quirks: {
      ...MAX_TOKENS,
      droppedFields: [...OPENAI_ONLY, 'service_tier', 'user', 'parallel_tool_calls'],
      droppedMessageFields: REASONING,
    },
    modelQuirks: {
      matching: /^(?:models\/)?gemini-(?:[3-9]|\d\d)/i,
      // Google documents this value for tool calls that were made by another model.
      quirks: { missingThoughtSignature: 'skip_thought_signature_validator' },
    },
    // Midnight Pacific; in summer an hour late, which costs less than an hour too early.
    traits: { limitScope: 'model', quotaResetHour: 8 },
    // https://ai.google.dev/gemini-api/docs/troubleshooting; quota ids name their window.
    codes: [
      { codes: ['API_KEY_INVALID', 'API_KEY_EXPIRED', 'API_KEY_SERVICE_BLOCKED'], gives: AUTH },
      { codes: ['SERVICE_DISABLED', 'CONSUMER_SUSPENDED'], gives: KEY_MAY_NOT },
      { codes: ['MODEL_CAPACITY_EXHAUSTED'], gives: OVERLOADED },
      { codes: ['RESOURCE_EXHAUSTED'], says: /prepayment credits|credits are depleted/i, gives: MONEY_WALL },
      // A limit of zero is no limit reached: the model is not in this tier.
      { codes: ['RESOURCE_EXHAUSTED'], says: /\blimit: 0\b/i, gives: NO_ACCESS },
      { codes: ['RESOURCE_EXHAUSTED'], evidence: /"quotaValue":\s?"0"/, gives: NO_ACCESS },
      { codes: ['RESOURCE_EXHAUSTED'], says: /no capacity|overloaded|high demand/i, gives: OVERLOADED },
      { codes: ['RESOURCE_EXHAUSTED'], evidence: /"quotaId":\s?"[^"]*PerDay/, gives: MODEL_WINDOW_SPENT },
      { codes: ['RESOURCE_EXHAUSTED'], says: /spend(?:ing)? (?:cap|limit)/i, gives: MONEY_WALL },
      { codes: ['RESOURCE_EXHAUSTED'], gives: MODEL_LIMIT },
      { codes: ['DEADLINE_EXCEEDED'], gives: MODEL_TIMEOUT },
    ],
  },

  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    quirks: {
      renamedFields: [...MAX_TOKENS.renamedFields, ['seed', 'random_seed']],
      droppedFields: [...OPENAI_ONLY, 'service_tier', 'user'],
      streamOptions: false,
      droppedMessageFields: REASONING,
      droppedToolCallFields: ['extra_content', 'name'],
      toolCallIds: { takes: /^[a-z0-9]{9}$/i, length: 9 },
      // A turn that speaks and calls at once is refused.
      toolCallContent: 'none',
    },
    // https://docs.mistral.ai/api; numbers are the platform's own.
    codes: [
      { says: /blocked by guardrail/i, gives: verdict('content_filter', { tryNext: false }) },
      { codes: ['1500', 'invalid_model', '3040'], gives: MODEL_GONE },
      { codes: ['3051'], gives: CONTEXT },
      { codes: ['3505', 'service_tier_capacity_exceeded'], gives: SITE_CAPACITY },
      { says: /number of function calls and responses/i, gives: BROKEN_REQUEST },
      { codes: ['invalid_request_message_order'], gives: TURN_ORDER },
    ],
  },

  cohere: {
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    quirks: {
      ...STRICT,
      ...MAX_TOKENS,
      droppedFields: [...STRICT.droppedFields, 'user', 'parallel_tool_calls'],
    },
    // https://docs.cohere.com/reference/errors
    codes: [
      { says: /limited to \d+ API calls \/ month/i, gives: WINDOW_SPENT },
      { says: /^unknown field:/i, gives: FIELD_REFUSED },
    ],
  },

  xai: {
    keyPrefix: 'xai-',
    baseUrl: 'https://api.x.ai/v1',
    quirks: { streamOptions: false },
    wires: { responses: STATEFUL_RESPONSES },
    // https://docs.x.ai/docs/key-information/debugging; the code field holds a sentence.
    codes: [
      {
        says: /used all available credits|monthly spending limit|doesn't have any credits|purchase (?:more )?credits/i,
        gives: MONEY_WALL,
      },
      { says: /violates usage guidelines|SAFETY_CHECK_TYPE/i, gives: CONTENT_FILTER },
      { says: /model is at capacity/i, gives: OVERLOADED },
    ],
  },
} satisfies Record<string, RowSource>
