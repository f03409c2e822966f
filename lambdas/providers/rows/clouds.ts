import { verdict } from '../../core/failures/verdict.ts'
import type { RowSource } from '../provider-row.ts'
import {
  AUTH,
  CONTEXT,
  KEY_MAY_NOT,
  LOADING,
  MAX_TOKENS,
  messagesAt,
  MODEL_DOWN,
  MODEL_FAULT,
  MODEL_FIELD_REFUSED,
  MODEL_GONE,
  MODEL_LIMIT,
  MODEL_TIMEOUT,
  NO_ACCESS,
  NO_REASONING,
  OVERLOADED,
  RESPONSES,
  SITE_CAPACITY,
  STRICT,
  WINDOW_SPENT,
  WRONG_PATH,
} from './presets.ts'

/** Clouds that serve models beside everything else. */
export const CLOUDS = {
  bedrock: {
    keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
    baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
    signedAs: 'bedrock',
    quirks: { ...NO_REASONING, toolCallIds: { takes: /^[\w-]{1,64}$/, length: 20 }, emptyTexts: 'drop' },
    wires: {
      responses: { ...RESPONSES, path: 'https://bedrock-mantle.{region}.api.aws/v1/responses' },
      messages: messagesAt('https://bedrock-mantle.{region}.api.aws/anthropic/v1/messages'),
    },
    traits: { limitScope: 'model' },
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html; one type has many causes.
    codes: [
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
      { codes: ['ModelNotReadyException'], gives: LOADING },
      { codes: ['ServiceQuotaExceededException'], gives: WINDOW_SPENT },
      { codes: ['ThrottlingException'], says: /per day/i, gives: WINDOW_SPENT },
      { codes: ['ThrottlingException'], gives: MODEL_LIMIT },
      { codes: ['ModelTimeoutException'], gives: MODEL_TIMEOUT },
      { codes: ['ModelErrorException', 'ModelStreamErrorException'], gives: MODEL_FAULT },
      { codes: ['InternalServerException'], gives: verdict('server_error') },
      { codes: ['ServiceUnavailableException'], gives: OVERLOADED },
    ],
  },

  cloudflare: {
    baseUrl: null,
    baseUrlExample: 'https://api.cloudflare.com/client/v4/accounts/<account id>/ai/v1',
    quirks: {
      ...STRICT,
      ...MAX_TOKENS,
      toolCallContent: 'empty',
      joinsTextParts: true,
      assumedMaxTokens: 2_048,
    },
    traits: { quotaResetHour: 0 },
    // https://developers.cloudflare.com/workers-ai/platform/errors/ (the live daily code 4006 is missing there).
    codes: [
      { codes: ['10000', '9109', '10001'], gives: AUTH },
      { codes: ['3036', '4006'], gives: WINDOW_SPENT },
      { codes: ['3040'], gives: SITE_CAPACITY },
      { codes: ['5007', '3042', '5028'], gives: MODEL_GONE },
      { codes: ['5016', '5018', '3041'], gives: NO_ACCESS },
      { codes: ['3023'], gives: KEY_MAY_NOT },
      { codes: ['3007', '3008'], gives: MODEL_TIMEOUT },
      { codes: ['3006'], gives: verdict('payload_too_large') },
      { codes: ['5021'], gives: CONTEXT },
      { codes: ['5005'], gives: MODEL_FIELD_REFUSED },
      { codes: ['7000', '7003'], gives: WRONG_PATH },
    ],
  },
} satisfies Record<string, RowSource>
