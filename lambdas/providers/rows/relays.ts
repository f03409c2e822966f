import { MONEY_WALL, verdict } from '../../core/failures/verdict.ts'
import type { RowSource } from '../provider-row.ts'
import {
  AUTH,
  CONTENT_FILTER,
  CONTEXT,
  FIELD_REFUSED,
  KEY_LIMIT,
  MAX_TOKENS,
  messagesAt,
  MESSAGES,
  MODEL_DOWN,
  MODEL_FAULT,
  MODEL_FIELD_REFUSED,
  MODEL_GONE,
  MODEL_LIMIT,
  MODEL_WINDOW_SPENT,
  NO_ACCESS,
  OVERLOADED,
  RESPONSES,
  SITE_CAPACITY,
  WINDOW_SPENT,
} from './presets.ts'

/** Those who pass requests on to further hosts. */
export const RELAYS = {
  openrouter: {
    keyPrefix: 'sk-or-',
    baseUrl: 'https://openrouter.ai/api/v1',
    wires: { responses: RESPONSES, messages: MESSAGES },
    traits: { quotaResetHour: 0 },
    // https://openrouter.ai/docs/api-reference/errors; `metadata.error_type` and `limit_source` are its typed reasons.
    codes: [
      { codes: ['openrouter_free_tier_daily'], gives: WINDOW_SPENT },
      { codes: ['openrouter_shared_capacity', 'upstream_provider_shared_pool'], gives: SITE_CAPACITY },
      { says: /free-models-per-day/i, gives: WINDOW_SPENT },
      { says: /free-models-per-min/i, gives: KEY_LIMIT },
      // The cap belongs to the key; one that names a day, week or month is lifted by the calendar.
      { says: /^Key limit exceeded \((?:daily|weekly|monthly)/i, gives: WINDOW_SPENT },
      { says: /^Key limit exceeded|insufficient credits/i, gives: MONEY_WALL },
      { says: /requires moderation|input was flagged/i, gives: CONTENT_FILTER },
      { says: /limited to \d+ requests per minute/i, gives: MODEL_LIMIT },
      { says: /is not a valid model ID/i, gives: MODEL_GONE },
      { codes: ['provider_overloaded', 'provider_unavailable'], gives: OVERLOADED },
      { says: /no available model provider|No instances available/i, gives: OVERLOADED },
      { says: /Reasoning is mandatory/i, gives: MODEL_FIELD_REFUSED },
      { codes: ['server_error'], gives: MODEL_FAULT },
      // OpenRouter itself is well: one of the hosts behind this model is not.
      {
        says: /^Provider (?:returned error|disconnected)|^Upstream error/i,
        status: [500, 502, 520],
        gives: MODEL_FAULT,
      },
    ],
  },

  'opencode-zen': {
    baseUrl: 'https://opencode.ai/zen/v1',
    wires: {
      responses: { ...RESPONSES, models: /^gpt-/i },
      messages: messagesAt('messages', { models: /^claude-/i }),
    },
    // https://opencode.ai/docs/zen; the type decides, 401 is used for everything.
    codes: [
      // The relay's own account at the upstream is limited, for everybody.
      { says: /^Error from provider \(/i, status: [429], gives: SITE_CAPACITY },
      { codes: ['ModelError'], gives: MODEL_GONE },
      { codes: ['CreditsError', 'MonthlyLimitError', 'UserLimitError'], gives: MONEY_WALL },
      { codes: ['FreeUsageLimitError'], gives: MODEL_WINDOW_SPENT },
      {
        codes: ['GoUsageLimitError', 'SubscriptionUsageLimitError', 'BlackUsageLimitError'],
        gives: WINDOW_SPENT,
      },
      { codes: ['AuthError'], gives: AUTH },
      { codes: ['MissingSessionID'], gives: verdict('permission', { scope: 'key' }) },
    ],
  },
  'opencode-go': { like: 'opencode-zen', baseUrl: 'https://opencode.ai/zen/go/v1', wires: {} },

  pollinations: {
    baseUrl: 'https://gen.pollinations.ai/v1',
    quirks: MAX_TOKENS,
    needsKey: false,
    // https://github.com/pollinations/pollinations: four meanings of 402.
    codes: [
      { says: /^Queue full for IP/i, gives: KEY_LIMIT },
      { says: /tier not high enough|requires? .{0,20}tier/i, gives: NO_ACCESS },
      { says: /paid balance|budget exhausted|top up or create/i, gives: MONEY_WALL },
      // Tier balance is refilled by the hour.
      { says: /^Insufficient balance/i, gives: WINDOW_SPENT },
    ],
  },

  llm7: { baseUrl: 'https://api.llm7.io/v1', quirks: MAX_TOKENS, needsKey: false },

  'ollama-cloud': {
    baseUrl: 'https://ollama.com/v1',
    quirks: MAX_TOKENS,
    wires: { responses: RESPONSES, messages: MESSAGES },
  },

  kilo: {
    baseUrl: 'https://api.kilo.ai/api/gateway',
    needsKey: false,
    // https://kilo.ai/docs/gateway: works without any key, for its free models only.
    codes: [{ codes: ['PAID_MODEL_AUTH_REQUIRED'], gives: NO_ACCESS }],
  },

  litellm: {
    baseUrl: null,
    baseUrlExample: 'https://litellm.example.com/v1',
    // https://docs.litellm.ai/docs/proxy/error_diagnosis; what follows the class name is the upstream's text.
    codes: [
      { codes: ['budget_exceeded'], gives: MONEY_WALL },
      {
        codes: ['key_model_access_denied', 'team_model_access_denied', 'user_model_access_denied'],
        gives: NO_ACCESS,
      },
      { says: /^(?:\S{1,60}: )?Invalid model name passed in/i, gives: MODEL_GONE },
      { says: /crossed budget|Exceeded budget for/i, gives: WINDOW_SPENT },
      { says: /No deployments available/i, gives: SITE_CAPACITY },
      { says: /ContentPolicyViolationError/, gives: CONTENT_FILTER },
      { says: /ContextWindowExceededError/, gives: CONTEXT },
    ],
  },
  'litellm-proxy': { like: 'litellm', baseUrl: null },

  /** Shut down on 2026-07-30; whoever still names it is told so in its own words. */
  'github-models': {
    baseUrl: 'https://models.github.ai/inference',
    codes: [
      {
        codes: ['github_models_retirement_brownout', 'github_models_retired'],
        gives: verdict('model_unavailable', { scope: 'endpoint' }),
      },
      { says: /^GitHub Models .{0,60}retire/i, gives: verdict('model_unavailable', { scope: 'endpoint' }) },
      { codes: ['unknown_model'], gives: MODEL_GONE },
      { codes: ['unavailable_model'], gives: MODEL_DOWN },
      { codes: ['no_access'], gives: NO_ACCESS },
      { codes: ['tokens_limit_reached'], gives: verdict('payload_too_large') },
      { codes: ['RateLimitReached'], says: /ByDay|per 86400s/i, gives: MODEL_WINDOW_SPENT },
      { codes: ['RateLimitReached'], gives: MODEL_LIMIT },
      { codes: ['unsupported_parameter', 'unsupported_value'], gives: FIELD_REFUSED },
    ],
  },
} satisfies Record<string, RowSource>
