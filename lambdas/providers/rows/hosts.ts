import { MONEY_WALL, verdict } from '../../core/failures/verdict.ts'
import type { RowSource } from '../provider-row.ts'
import {
  AUTH,
  KEY_LIMIT,
  KEY_MAY_NOT,
  LOADING,
  MAX_TOKENS,
  MESSAGES,
  MODEL_DOWN,
  MODEL_FIELD_REFUSED,
  MODEL_GONE,
  MODEL_LIMIT,
  MODEL_WINDOW_SPENT,
  NO_ACCESS,
  NO_REASONING,
  OPENAI_ONLY,
  RESPONSES,
  SITE_CAPACITY,
  STATEFUL_RESPONSES,
  STRICT,
  WINDOW_SPENT,
  WRONG_PATH,
} from './presets.ts'
import { GROQ_PRICES } from './prices.ts'

/** Those who serve the open models of others. */
export const HOSTS = {
  groq: {
    keyPrefix: 'gsk_',
    baseUrl: 'https://api.groq.com/openai/v1',
    prices: GROQ_PRICES,
    quirks: {
      ...NO_REASONING,
      droppedFields: OPENAI_ONLY,
      // Its text models take parts for no content at all.
      joinsTextParts: true,
    },
    wires: { responses: RESPONSES },
    traits: { limitScope: 'model', requestsCountDays: true },
    // https://console.groq.com/docs/errors
    codes: [
      { codes: ['organization_restricted'], gives: AUTH },
      { codes: ['blocked_api_access'], gives: MONEY_WALL },
      { codes: ['model_decommissioned'], gives: MODEL_GONE },
      {
        codes: ['model_terms_required', 'model_permission_blocked_org', 'model_permission_blocked_project'],
        gives: NO_ACCESS,
      },
      // The model wrote something that does not parse: the request was fine.
      {
        codes: ['tool_use_failed', 'json_validate_failed', 'output_parse_failed'],
        gives: verdict('malformed_response', { scope: 'model' }),
      },
      { codes: ['capacity_exceeded'], gives: SITE_CAPACITY },
      { codes: ['unknown_url'], gives: WRONG_PATH },
    ],
  },

  cerebras: {
    keyPrefix: 'csk-',
    baseUrl: 'https://api.cerebras.ai/v1',
    quirks: {
      renamedFields: [['max_tokens', 'max_completion_tokens']],
      droppedFields: OPENAI_ONLY,
      // It hands out `reasoning` and takes that one back.
      droppedMessageFields: ['reasoning_content', 'reasoning_details'],
      droppedToolCallFields: ['extra_content'],
    },
    traits: { limitScope: 'model' },
    // https://inference-docs.cerebras.ai/support/error; limits are per model, in minutes, hours and days.
    codes: [
      { codes: ['queue_exceeded'], gives: SITE_CAPACITY },
      {
        codes: ['request_quota_exceeded', 'token_quota_exceeded'],
        says: /per (?:day|hour)/i,
        gives: MODEL_WINDOW_SPENT,
      },
      {
        codes: ['request_quota_exceeded', 'token_quota_exceeded'],
        says: /per minute|per second/i,
        gives: MODEL_LIMIT,
      },
      { codes: ['wrong_api_key'], gives: AUTH },
    ],
  },

  sambanova: {
    baseUrl: 'https://api.sambanova.ai/v1',
    quirks: { ...STRICT, ...MAX_TOKENS },
    traits: { limitScope: 'model' },
  },

  together: {
    baseUrl: 'https://api.together.xyz/v1',
    quirks: MAX_TOKENS,
    traits: { limitScope: 'model' },
  },

  fireworks: {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    quirks: MAX_TOKENS,
    wires: { responses: STATEFUL_RESPONSES, messages: MESSAGES },
    // https://docs.fireworks.ai; the edge before it is Apigee, which speaks in faults.
    codes: [
      { codes: ['PRECONDITION_FAILED'], says: /suspended|billing|spending|invoice/i, gives: MONEY_WALL },
      { codes: ['NOT_FOUND'], says: /model/i, gives: MODEL_GONE },
      {
        codes: ['policies.ratelimit.QuotaViolation', 'policies.ratelimit.SpikeArrestViolation'],
        gives: KEY_LIMIT,
      },
      {
        codes: [
          'oauth.v2.InvalidApiKey',
          'oauth.v2.FailedToResolveAPIKey',
          'oauth.v2.InvalidApiKeyForGivenResource',
        ],
        gives: AUTH,
      },
    ],
  },

  nvidia: {
    keyPrefix: 'nvapi-',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    quirks: { ...STRICT, ...MAX_TOKENS },
    // Headers at once, then silence while a deployment wakes: long, yet some of the deadline is left for the next.
    timeouts: { firstOutputMs: 30_000 },
    // NVIDIA speaks problem+json; a failing deployment is called a degraded function.
    codes: [
      { says: /DEGRADED function|function is (?:inactive|not active)/i, gives: MODEL_DOWN },
      { says: /^(?:Specified )?function\b.{0,80}\bnot found/i, gives: MODEL_GONE },
      { says: /credits (?:have )?expired|credits? exhausted/i, gives: MONEY_WALL },
      { says: /only supports single tool-calls/i, gives: MODEL_FIELD_REFUSED },
    ],
  },

  huggingface: {
    keyPrefix: 'hf_',
    keyVariables: ['HF_TOKEN'],
    baseUrl: 'https://router.huggingface.co/v1',
    quirks: { ...STRICT, ...MAX_TOKENS },
    wires: { responses: RESPONSES },
    // https://huggingface.co/docs/inference-providers; the router relays what its sub-providers say.
    codes: [
      { codes: ['model_not_supported'], gives: MODEL_DOWN },
      {
        says: /https?:\/\/\S+ is no longer supported/i,
        status: [410],
        gives: verdict('model_unavailable', { scope: 'endpoint' }),
      },
      // Included credits come back on the first of the month by themselves.
      { says: /exceeded your monthly included credits/i, gives: WINDOW_SPENT },
      { says: /does not have sufficient permissions/i, status: [403], gives: KEY_MAY_NOT },
    ],
  },

  chutes: { baseUrl: 'https://llm.chutes.ai/v1', quirks: MAX_TOKENS },

  featherless: {
    baseUrl: 'https://api.featherless.ai/v1',
    quirks: MAX_TOKENS,
    // https://featherless.ai/docs/errors
    codes: [
      { codes: ['model_cold', 'model_loading'], gives: LOADING },
      { codes: ['concurrency_limit_exceeded'], gives: KEY_LIMIT },
      { codes: ['model_gated', 'model_too_large_for_plan'], gives: NO_ACCESS },
    ],
  },
} satisfies Record<string, RowSource>
