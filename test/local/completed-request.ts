import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'

const ENDPOINTS = ['openai/gpt-4o', 'groq/llama-3.1-8b-instant', 'office/llama'] as const

/** The line of a request that fell back once, changed where a test says so. */
export function completedRequest(changes: Partial<RequestCompleted> = {}): RequestCompleted {
  const [first, second, third] = ENDPOINTS
  return {
    event: 'request-completed',
    caller: 'loopback',
    requestId: 'request-1',
    alias: 'gpt-4o',
    outcome: 'answered',
    status: 200,
    code: null,
    atFault: null,
    stream: true,
    servedBy: second,
    plan: {
      candidates: ENDPOINTS.map((endpoint, tier) => ({
        endpoint,
        id: endpoint,
        tier: tier + 1,
        suspect: endpoint === third,
        keys: [],
      })),
      skipped: [
        { endpoint: 'office/other', id: 'office/other', tier: 2, reason: 'no_key', until: null, cause: null },
      ],
    },
    attempts: [
      {
        endpoint: first,
        id: first,
        provider: 'openai',
        tier: 1,
        key: '1a2b3c4d',
        outcome: 'rate_limit',
        scope: 'key',
        structural: false,
        status: 429,
        startedAfterMs: 1.4,
        durationMs: 12.3,
        message: 'Rate limit reached\u001B[2J for gpt-4o',
      },
      {
        endpoint: second,
        id: second,
        provider: 'groq',
        tier: 2,
        key: null,
        outcome: 'ok',
        scope: null,
        structural: false,
        status: 200,
        startedAfterMs: 14,
        durationMs: 140,
        message: null,
      },
    ],
    promptTokensEstimate: 11,
    retryTokens: 12,
    retryTokenBudget: 8_000,
    usage: { promptTokens: 12, completionTokens: 30, totalTokens: 42 },
    dollars: null,
    lostDollars: null,
    finishReason: 'stop',
    malformedEvents: 0,
    firstTokenMs: 95,
    overheadMs: 4,
    durationMs: 156,
    ...changes,
  }
}
