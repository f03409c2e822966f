/** Headers the gateway answers with; browsers see them because CORS exposes every one. */
export const RESPONSE_HEADERS = {
  requestId: 'x-request-id',
  chain: 'x-backstop-chain',
  servedBy: 'x-backstop-served-by',
  tier: 'x-backstop-tier',
  attempts: 'x-backstop-attempts',
  skipped: 'x-backstop-skipped',
  mode: 'x-backstop-mode',
  retryAfter: 'retry-after',
  shouldRetry: 'x-should-retry',
} as const

/** Headers the gateway understands in a request. */
export const REQUEST_HEADERS = {
  requestId: 'x-request-id',
  apiKey: 'x-api-key',
  session: 'x-backstop-session',
  idempotencyKey: 'idempotency-key',
  buffer: 'x-backstop-buffer',
  dryRun: 'x-backstop-dry-run',
  retryTokenBudget: 'x-backstop-retry-token-budget',
  fallback: 'x-backstop-fallback',
  completedToolCalls: 'x-backstop-completed-tool-calls',
} as const

/** The Function URL's CORS configuration, in AWS and on loopback alike. */
export const CORS = {
  allowOrigins: ['*'],
  // OPTIONS is not listed: the platform answers preflights itself and refuses names longer than six letters.
  allowMethods: ['GET', 'POST'],
  // Browsers do not count `authorization` in `*`.
  allowHeaders: ['*', 'authorization'],
  exposeHeaders: [
    RESPONSE_HEADERS.requestId,
    RESPONSE_HEADERS.chain,
    RESPONSE_HEADERS.servedBy,
    RESPONSE_HEADERS.tier,
    RESPONSE_HEADERS.attempts,
    RESPONSE_HEADERS.skipped,
    RESPONSE_HEADERS.mode,
    RESPONSE_HEADERS.retryAfter,
    RESPONSE_HEADERS.shouldRetry,
  ],
  maxAgeSeconds: 86_400,
} as const

/** Environment variables that the stack gives to its functions. */
export const ENVIRONMENT = { table: 'BACKSTOP_TABLE' } as const

/** The platform's limit for one request. */
export const MAX_BODY_BYTES = 6 * 1024 * 1024
