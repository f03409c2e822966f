import { defineGateway } from '../lambdas/config/gateway-config.ts'

// The last tier everywhere: in AWS it needs no key, because the function's role signs for it, so that a first
// deploy answers before any key has been set.
const lastResort = {
  endpoint: 'bedrock/openai.gpt-oss-20b-1:0',
  contextWindow: 128_000,
  vision: false,
} as const

export default defineGateway({
  // A provider of the catalogue needs no entry, only a key (OPENAI_API_KEY, GROQ_API_KEY, …). An entry changes
  // how it is called, or brings an OpenAI-compatible host of your own:
  //   office: { baseUrl: 'https://llm.example.com/v1', firstOutputTimeoutMs: 30_000 },
  //   lab: { baseUrl: 'http://10.0.0.7:8000/v1', key: false },
  providers: {
    groq: {},
    openrouter: {},
  },

  // Clients ask for these names. Tiers are tried from the top; the endpoints inside one tier serve the same
  // model and stand in for each other before a lower tier is asked.
  models: {
    'gpt-4o': {
      tiers: [
        [{ endpoint: 'openai/gpt-4o', contextWindow: 128_000, tools: true, vision: true, json: true }],
        ['openrouter/deepseek/deepseek-chat:free'],
        [{ endpoint: 'groq/llama-3.1-8b-instant', contextWindow: 131_072, vision: false }],
        [lastResort],
      ],
    },
    'llama-3.3-70b': {
      tiers: [
        ['groq/llama-3.3-70b-versatile', 'openrouter/meta-llama/llama-3.3-70b-instruct:free'],
        ['groq/llama-3.1-8b-instant'],
        [lastResort],
      ],
    },
    claude: {
      tiers: [
        ['anthropic/claude-sonnet-4-5', 'openrouter/anthropic/claude-sonnet-4.5'],
        ['openai/gpt-4o'],
        [lastResort],
      ],
    },
  },

  // Every name with its default and range stands in lambdas/core/settings/settings.ts.
  settings: {
    retry_max_attempts: 4,
  },

  // What the stack is built with; `npx cdk deploy` puts it into force. Others: reservedConcurrency (how many
  // requests at a time, and so an upper bound for the bill), alarmEmail.
  deploy: {
    auth: 'key',
    deletionProtection: false,
    logRetentionDays: 30,
  },
})
