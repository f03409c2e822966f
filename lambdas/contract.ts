/** Headers the gateway answers with; browsers see them because CORS exposes every one. */
export const RESPONSE_HEADERS = {
  requestId: 'x-request-id',
  anthropicRequestId: 'request-id',
  chain: 'x-backstop-chain',
  servedBy: 'x-backstop-served-by',
  tier: 'x-backstop-tier',
  attempts: 'x-backstop-attempts',
  skipped: 'x-backstop-skipped',
  mode: 'x-backstop-mode',
  dropped: 'x-backstop-dropped',
  cost: 'x-backstop-cost',
  retryAfter: 'retry-after',
  shouldRetry: 'x-should-retry',
  limitRequests: 'x-ratelimit-limit-requests',
  remainingRequests: 'x-ratelimit-remaining-requests',
  resetRequests: 'x-ratelimit-reset-requests',
  limitTokens: 'x-ratelimit-limit-tokens',
  remainingTokens: 'x-ratelimit-remaining-tokens',
  resetTokens: 'x-ratelimit-reset-tokens',
  anthropicRequestsLimit: 'anthropic-ratelimit-requests-limit',
  anthropicRequestsRemaining: 'anthropic-ratelimit-requests-remaining',
  anthropicRequestsReset: 'anthropic-ratelimit-requests-reset',
  anthropicTokensLimit: 'anthropic-ratelimit-tokens-limit',
  anthropicTokensRemaining: 'anthropic-ratelimit-tokens-remaining',
  anthropicTokensReset: 'anthropic-ratelimit-tokens-reset',
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
    RESPONSE_HEADERS.anthropicRequestId,
    RESPONSE_HEADERS.chain,
    RESPONSE_HEADERS.servedBy,
    RESPONSE_HEADERS.tier,
    RESPONSE_HEADERS.attempts,
    RESPONSE_HEADERS.skipped,
    RESPONSE_HEADERS.mode,
    RESPONSE_HEADERS.dropped,
    RESPONSE_HEADERS.cost,
    RESPONSE_HEADERS.retryAfter,
    RESPONSE_HEADERS.shouldRetry,
    RESPONSE_HEADERS.limitRequests,
    RESPONSE_HEADERS.remainingRequests,
    RESPONSE_HEADERS.resetRequests,
    RESPONSE_HEADERS.limitTokens,
    RESPONSE_HEADERS.remainingTokens,
    RESPONSE_HEADERS.resetTokens,
    RESPONSE_HEADERS.anthropicRequestsLimit,
    RESPONSE_HEADERS.anthropicRequestsRemaining,
    RESPONSE_HEADERS.anthropicRequestsReset,
    RESPONSE_HEADERS.anthropicTokensLimit,
    RESPONSE_HEADERS.anthropicTokensRemaining,
    RESPONSE_HEADERS.anthropicTokensReset,
  ],
  maxAgeSeconds: 86_400,
} as const

/** Environment variables that the stack gives to its functions. */
export const ENVIRONMENT = {
  table: 'BACKSTOP_TABLE',
  secret: 'BACKSTOP_SECRET',
  stack: 'BACKSTOP_STACK',
  metricNamespace: 'BACKSTOP_METRIC_NAMESPACE',
  url: 'BACKSTOP_URL',
} as const

/** What the stack tells of itself when it is deployed, and where commands find it. */
export const STACK_OUTPUTS = {
  url: 'Url',
  secret: 'SecretName',
  table: 'TableName',
  probe: 'ProbeFunctionName',
  logGroup: 'LogGroupName',
  auth: 'UrlAuth',
  dashboard: 'DashboardLink',
  alarmTopic: 'AlarmTopicArn',
  try: 'TryIt',
} as const

/** The tags by which a budget knows what a gateway costs. */
export const OWN_TAGS = { application: 'application', stage: 'stage', gateway: 'backstop:gateway' } as const

/** The platform's limit for one request. */
export const MAX_BODY_BYTES = 6 * 1024 * 1024

/** Where the gateway's metrics stand in CloudWatch. */
export const METRIC_NAMESPACE = 'Backstop'

const MAIN_STAGE = 'prod'

/** Where the metrics of one stage stand: no dimension tells stages apart, because every value of one is billed. */
export const metricNamespaceOf = (stage: string): string =>
  stage === MAIN_STAGE ? METRIC_NAMESPACE : `${METRIC_NAMESPACE}/${stage}`

export type MetricDimension = 'model' | 'provider' | 'kind' | 'fallback_chain'
export type MetricUnit = 'Count' | 'Milliseconds'

type MetricSet = readonly MetricDimension[]

type MetricRow = {
  unit: MetricUnit
  dimensions: readonly MetricSet[]
  /** Those of its sets that are written with `metrics: 'essential'`; absent = none. */
  essential?: readonly MetricSet[]
  /** Written for every model whatever the limit of an instance, because an alarm of that model reads it. */
  alarmed?: true
}

/** How many sets are written: of the whole table, or only what the essential alarms and a small dashboard need. */
export type MetricLevel = 'all' | 'essential'

/**
 * Every metric that the code emits, and the sets of dimensions under which it is counted. Each distinct set of
 * values is billed for as long as it is written: a set that is not in this table does not exist.
 */
export const METRICS = {
  /** Requests that got as far as a plan; by model those of them that were not at fault themselves. */
  Requests: { unit: 'Count', dimensions: [[], ['model']], essential: [[]], alarmed: true },
  /** Requests that failed or were cut off through no choice of the client. */
  Failures: { unit: 'Count', dimensions: [[]], essential: [[]] },
  /** Requests that were rejected before routing; callers without a client key cost no metric. */
  Rejected: { unit: 'Count', dimensions: [[]] },
  /** Of whole answers, until their end: its sample count is the number of requests that succeeded. */
  Latency: { unit: 'Milliseconds', dimensions: [[]], essential: [[]] },
  /** Of streamed answers. */
  TimeToFirstToken: { unit: 'Milliseconds', dimensions: [[], ['model']], essential: [[]] },
  /** Time to the first byte that was ours, and not an upstream's. */
  GatewayOverhead: { unit: 'Milliseconds', dimensions: [[]] },
  /** What attempts after the first have cost, but for the output that was shown to a client. */
  RetryTokens: { unit: 'Count', dimensions: [[]], essential: [[]] },
  InputTokens: { unit: 'Count', dimensions: [[]], essential: [[]] },
  OutputTokens: { unit: 'Count', dimensions: [[]], essential: [[]] },
  StreamsCut: { unit: 'Count', dimensions: [[]] },
  MalformedEvents: { unit: 'Count', dimensions: [[]] },
  StateErrors: { unit: 'Count', dimensions: [[]] },
  /** Keys that providers refuse, once a probe run for as long as they do. */
  KeyRefused: { unit: 'Count', dimensions: [[]], essential: [[]] },
  NetworkSuspect: { unit: 'Count', dimensions: [[]] },
  Degraded: { unit: 'Count', dimensions: [[]] },
  /** Requests for a model that nothing could answer, through no choice of the client. */
  AliasOut: { unit: 'Count', dimensions: [['model']], alarmed: true },
  Fallbacks: { unit: 'Count', dimensions: [['model'], ['fallback_chain']], essential: [['model']] },
  Attempts: { unit: 'Count', dimensions: [['provider']] },
  AttemptFailures: { unit: 'Count', dimensions: [['provider'], ['provider', 'kind']] },
  HealthTransitions: { unit: 'Count', dimensions: [['provider']] },
  BreakerTransitions: { unit: 'Count', dimensions: [['provider']] },
  Probes: { unit: 'Count', dimensions: [['provider']] },
  ProbeTokens: { unit: 'Count', dimensions: [['provider']] },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof METRICS

/** The sets of dimensions under which a metric is counted. */
export function metricSets(name: MetricName, level: MetricLevel): readonly MetricSet[] {
  const row: MetricRow = METRICS[name]
  return level === 'all' ? row.dimensions : (row.essential ?? [])
}

/** In characters. CloudWatch takes more, but nobody reads more. */
export const LONGEST_DIMENSION_VALUE = 250

/** A dimension's value as CloudWatch takes it: printable ASCII, everything else percent-encoded, never empty. */
export function dimensionValue(text: string): string {
  const value = text.toWellFormed().replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent) || '-'
  return value.length > LONGEST_DIMENSION_VALUE ? `${value.slice(0, LONGEST_DIMENSION_VALUE - 1)}~` : value
}
