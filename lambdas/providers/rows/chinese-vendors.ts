import { MONEY_WALL, verdict } from '../../core/failures/verdict.ts'
import type { RowSource } from '../provider-row.ts'
import {
  AUTH,
  CONTENT_FILTER,
  CONTEXT,
  FIELD_REFUSED,
  KEY_LIMIT,
  KEY_MAY_NOT,
  MAX_TOKENS,
  messagesAt,
  MODEL_DOWN,
  MODEL_GONE,
  MODEL_LIMIT,
  MODEL_TIMEOUT,
  NO_ACCESS,
  OVERLOADED,
  RESPONSES,
  WINDOW_SPENT,
} from './presets.ts'

/** Vendors of China; most have a second host, with keys of its own, for the rest of the world. */
export const CHINESE_VENDORS = {
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    quirks: {
      ...MAX_TOKENS,
      toolCallContent: 'null',
      // It takes a string, and no list of parts.
      joinsTextParts: true,
      // Thinking models refuse a tool round without reasoning, and an empty one too.
      missingReasoning: ' ',
    },
    wires: { responses: RESPONSES, messages: messagesAt('/anthropic/v1/messages') },
    // https://api-docs.deepseek.com/quick_start/error_codes
    codes: [
      { says: /^Insufficient Balance/i, gives: MONEY_WALL },
      { says: /Content Exists Risk/i, gives: CONTENT_FILTER },
      // Two models behind one service: what is busy is all of it.
      {
        says: /(?:server|service) (?:is )?(?:too )?(?:busy|overloaded)|temporarily unavailable/i,
        status: [429, 500, 502, 503],
        gives: verdict('overloaded', { scope: 'provider' }),
      },
    ],
  },

  moonshot: {
    baseUrl: 'https://api.moonshot.ai/v1',
    quirks: MAX_TOKENS,
    // Kimi thinks by default, and then refuses a tool round without reasoning.
    modelQuirks: { matching: /^kimi/i, quirks: { missingReasoning: ' ' } },
    wires: { responses: RESPONSES, messages: messagesAt('/anthropic/v1/messages') },
    // https://platform.moonshot.ai/docs/api/chat#error-codes: three causes share 429, the type tells them apart.
    codes: [
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
      // Of nobody's account it is theirs.
      {
        codes: ['rate_limit_reached_error'],
        says: /\byour (?:account|request|key)|organi[sz]ation|\b[RT]P[MS]\b/i,
        gives: KEY_LIMIT,
      },
      { codes: ['permission_denied_error'], gives: KEY_MAY_NOT },
    ],
  },
  'moonshot-cn': { like: 'moonshot', baseUrl: 'https://api.moonshot.cn/v1' },
  'kimi-coding': { like: 'moonshot', baseUrl: 'https://api.kimi.com/coding/v1', wires: {} },

  zai: {
    baseUrl: 'https://api.z.ai/api/paas/v4',
    quirks: MAX_TOKENS,
    wires: { messages: messagesAt('/api/anthropic/v1/messages') },
    traits: { zone: '+08:00' },
    // https://docs.bigmodel.cn/cn/faq/api-code and https://docs.z.ai/api-reference/api-code; texts come in two languages.
    codes: [
      {
        codes: ['1000', '1001', '1002', '1003', '1004', '1100', '1110', '1111', '1112', '1121'],
        gives: AUTH,
      },
      { codes: ['1113', '1309'], gives: MONEY_WALL },
      { codes: ['1210', '1212', '1215'], gives: FIELD_REFUSED },
      { codes: ['1211', '1222'], gives: MODEL_GONE },
      { codes: ['1221'], gives: MODEL_DOWN },
      { codes: ['1213', '1214'], gives: verdict('bad_request') },
      { codes: ['1120', '1220'], gives: KEY_MAY_NOT },
      { codes: ['1311'], gives: NO_ACCESS },
      { codes: ['1261'], gives: CONTEXT },
      { codes: ['1301'], gives: CONTENT_FILTER },
      { codes: ['1302', '1303', '1313'], gives: KEY_LIMIT },
      { codes: ['1305', '1312'], gives: OVERLOADED },
      {
        codes: ['1304', '1308', '1310', '1314', '1315', '1316', '1317', '1318', '1319', '1320', '1321'],
        gives: WINDOW_SPENT,
      },
      { codes: ['1230', '1234', '500'], gives: verdict('server_error') },
    ],
  },
  zhipu: { like: 'zai', baseUrl: 'https://open.bigmodel.cn/api/paas/v4' },

  dashscope: {
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    quirks: MAX_TOKENS,
    wires: { responses: RESPONSES, messages: messagesAt('/apps/anthropic/v1/messages') },
    traits: { limitScope: 'model' },
    // https://help.aliyun.com/zh/model-studio/error-code; `insufficient_quota` is a minute's allocation here.
    codes: [
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
      { codes: ['RequestTimeOut'], gives: MODEL_TIMEOUT },
    ],
  },
  'dashscope-intl': { like: 'dashscope', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },

  minimax: {
    baseUrl: 'https://api.minimax.io/v1',
    quirks: { renamedFields: [['max_tokens', 'max_completion_tokens']] },
    wires: { messages: messagesAt('/anthropic/v1/messages') },
    // https://platform.minimax.io/docs/api-reference/errorcode; the code ends the sentence, whatever the status.
    codes: [
      { says: /\(1008\)$/, gives: MONEY_WALL },
      { says: /\((?:1004|2049)\)$/, gives: AUTH },
      { says: /\(2056\)$/, gives: WINDOW_SPENT },
      { says: /\((?:1002|1039|1041)\)$/, gives: MODEL_LIMIT },
      { says: /\((?:1026|1027)\)$/, gives: CONTENT_FILTER },
      { says: /\(1001\)$/, gives: MODEL_TIMEOUT },
    ],
  },
  'minimax-cn': { like: 'minimax', baseUrl: 'https://api.minimaxi.com/v1' },

  modelscope: {
    baseUrl: 'https://api-inference.modelscope.cn/v1',
    quirks: MAX_TOKENS,
    // A withdrawn model answers as if the account were empty. https://github.com/modelscope/modelscope/issues/1691
    codes: [{ codes: ['insufficient_balance_error'], says: /\(1008\)/, gives: MODEL_GONE }],
  },
} satisfies Record<string, RowSource>
