/** An error that a provider answers with instead of a completion, as it looks on the wire. */
export type Refusal = { status: number; headers: Record<string, string>; body: (model: string) => object }

/** OpenAI's 429: tokens per minute, with every hint about waiting that the real one carries. */
export const OPENAI_RATE_LIMIT: Refusal = {
  status: 429,
  headers: {
    'retry-after': '20',
    'retry-after-ms': '19400',
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '260',
    'x-ratelimit-reset-tokens': '19.4s',
  },
  body: model => ({
    error: {
      message:
        `Rate limit reached for ${model} in organization org-simulated on tokens per min (TPM): ` +
        'Limit 30000, Used 29740, Requested 9960. Please try again in 19.4s. ' +
        'Visit https://platform.openai.com/account/rate-limits to learn more.',
      type: 'tokens',
      param: null,
      code: 'rate_limit_exceeded',
    },
  }),
}

/** OpenRouter's 404 for a `:free` model that nobody hosts any longer. */
export const OPENROUTER_REMOVED: Refusal = {
  status: 404,
  headers: {},
  body: model => ({ error: { message: `No endpoints found for ${model}.`, code: 404 } }),
}

/** Groq's 503 at peak hours. */
export const GROQ_OVER_CAPACITY: Refusal = {
  status: 503,
  headers: {},
  body: model => ({
    error: {
      message: `${model} is currently over capacity. Please try again and back off exponentially.`,
      type: 'internal_server_error',
    },
  }),
}
