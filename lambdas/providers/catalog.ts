import { GENERIC_ROW, quirksOf, row } from './provider-row.ts'
import type { ProviderRow, Quirks } from './provider-row.ts'

/** Only OpenAI acts on these; a host that checks its input refuses them. */
const OPENAI_ONLY = [
  'store',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'prediction',
]
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details']

const NO_REASONING = { droppedMessageFields: REASONING, droppedToolCallFields: ['extra_content'] }
const STRICT = { droppedFields: [...OPENAI_ONLY, 'service_tier'], ...NO_REASONING }
const MAX_TOKENS = { renamedFields: [['max_completion_tokens', 'max_tokens']] } satisfies Partial<Quirks>
const OPENAI = { developerRole: 'keep', ...NO_REASONING } satisfies Partial<Quirks>

/** Reasoning models refuse `max_tokens`; every other model of OpenAI's takes it, so clients keep their word. */
const OPENAI_REASONING_MODELS = {
  matching: /^(?:o\d|gpt-[5-9])/i,
  quirks: { renamedFields: [['max_tokens', 'max_completion_tokens']] },
} satisfies ProviderRow['modelQuirks']

const KEYLESS = { needsKey: false }
/** Headers at once, then silence while a deployment wakes: long, yet some of the deadline is left for the next. */
const SLOW_START = { timeouts: { firstOutputMs: 30_000 } }
/** The first request loads the model from disk. */
const LOCAL = { needsKey: false, timeouts: { connectMs: 1_000, firstOutputMs: 30_000 } }

const ROWS = {
  openai: row('https://api.openai.com/v1', OPENAI, { modelQuirks: OPENAI_REASONING_MODELS }),
  'azure-openai': row(null, OPENAI, {
    baseUrlExample: 'https://my-resource.openai.azure.com/openai/v1',
    authentication: { header: 'api-key' },
    modelQuirks: OPENAI_REASONING_MODELS,
  }),
  anthropic: row('https://api.anthropic.com/v1', NO_REASONING),
  gemini: row(
    'https://generativelanguage.googleapis.com/v1beta/openai',
    {
      ...MAX_TOKENS,
      droppedFields: [...OPENAI_ONLY, 'service_tier', 'user', 'parallel_tool_calls'],
      droppedMessageFields: REASONING,
    },
    {
      // Google documents this value for tool calls that were made by another model.
      modelQuirks: {
        matching: /^(?:models\/)?gemini-(?:[3-9]|\d\d)/i,
        quirks: { missingThoughtSignature: 'skip_thought_signature_validator' },
      },
    },
  ),
  bedrock: row('https://bedrock-runtime.{region}.amazonaws.com/openai/v1', NO_REASONING, {
    signedAs: 'bedrock',
  }),

  groq: row('https://api.groq.com/openai/v1', {
    ...NO_REASONING,
    droppedFields: OPENAI_ONLY,
    // Its text models take parts for no content at all.
    joinsTextParts: true,
  }),
  cerebras: row('https://api.cerebras.ai/v1', {
    renamedFields: [['max_tokens', 'max_completion_tokens']],
    droppedFields: OPENAI_ONLY,
    // It hands out `reasoning` and takes that one back.
    droppedMessageFields: ['reasoning_content', 'reasoning_details'],
    droppedToolCallFields: ['extra_content'],
  }),
  sambanova: row('https://api.sambanova.ai/v1', { ...STRICT, ...MAX_TOKENS }),
  together: row('https://api.together.xyz/v1', MAX_TOKENS),
  fireworks: row('https://api.fireworks.ai/inference/v1', MAX_TOKENS),
  nvidia: row('https://integrate.api.nvidia.com/v1', { ...STRICT, ...MAX_TOKENS }, SLOW_START),
  huggingface: row('https://router.huggingface.co/v1', { ...STRICT, ...MAX_TOKENS }),
  cloudflare: row(
    null,
    { ...STRICT, ...MAX_TOKENS, toolCallContent: 'empty', joinsTextParts: true, assumedMaxTokens: 2_048 },
    { baseUrlExample: 'https://api.cloudflare.com/client/v4/accounts/<account id>/ai/v1' },
  ),
  chutes: row('https://llm.chutes.ai/v1', MAX_TOKENS),

  mistral: row('https://api.mistral.ai/v1', {
    renamedFields: [...MAX_TOKENS.renamedFields, ['seed', 'random_seed']],
    droppedFields: [...OPENAI_ONLY, 'service_tier', 'user'],
    streamOptions: false,
    droppedMessageFields: REASONING,
    droppedToolCallFields: ['extra_content', 'name'],
    toolCallIds: 'nine_characters',
    // A turn that speaks and calls at once is refused.
    toolCallContent: 'none',
  }),
  cohere: row('https://api.cohere.ai/compatibility/v1', {
    ...STRICT,
    ...MAX_TOKENS,
    droppedFields: [...STRICT.droppedFields, 'user', 'parallel_tool_calls'],
  }),
  deepseek: row('https://api.deepseek.com', {
    ...MAX_TOKENS,
    toolCallContent: 'null',
    // Thinking models refuse a tool round without reasoning, and an empty one too.
    missingReasoning: ' ',
  }),
  moonshot: row('https://api.moonshot.ai/v1', MAX_TOKENS, {
    // Kimi thinks by default, and then refuses a tool round without reasoning.
    modelQuirks: { matching: /^kimi/i, quirks: { missingReasoning: ' ' } },
  }),
  zai: row('https://api.z.ai/api/paas/v4', MAX_TOKENS),
  dashscope: row('https://dashscope.aliyuncs.com/compatible-mode/v1', MAX_TOKENS),
  xai: row('https://api.x.ai/v1', { streamOptions: false }),

  openrouter: row('https://openrouter.ai/api/v1'),
  'opencode-zen': row('https://opencode.ai/zen/v1'),
  pollinations: row('https://gen.pollinations.ai/v1', MAX_TOKENS, KEYLESS),
  llm7: row('https://api.llm7.io/v1', MAX_TOKENS, KEYLESS),
  'ollama-cloud': row('https://ollama.com/v1', MAX_TOKENS),

  ollama: row('http://127.0.0.1:11434/v1', MAX_TOKENS, LOCAL),
  vllm: row('http://127.0.0.1:8000/v1', {}, LOCAL),
  'llama.cpp': row('http://127.0.0.1:8080/v1', MAX_TOKENS, LOCAL),
  lmstudio: row('http://127.0.0.1:1234/v1', MAX_TOKENS, LOCAL),
} satisfies Record<string, ProviderRow>

/** The same company under a second id, with a base URL (and so a key) of its own. */
const ALIASES = {
  zhipu: { of: 'zai', baseUrl: 'https://open.bigmodel.cn/api/paas/v4' },
  azure: { of: 'azure-openai', baseUrl: null },
  'moonshot-cn': { of: 'moonshot', baseUrl: 'https://api.moonshot.cn/v1' },
  'dashscope-intl': { of: 'dashscope', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
  'opencode-go': { of: 'opencode-zen', baseUrl: 'https://opencode.ai/zen/go/v1' },
} as const satisfies Record<string, { of: keyof typeof ROWS; baseUrl: string | null }>

export type ProviderId = keyof typeof ROWS | keyof typeof ALIASES

const CATALOG: ReadonlyMap<string, ProviderRow> = new Map<string, ProviderRow>([
  ...Object.entries(ROWS),
  ...Object.entries(ALIASES).map(([id, { of, baseUrl }]) => [id, { ...ROWS[of], baseUrl }] as const),
])

/** Every id that needs no `baseUrl` to be known, aliases included. */
export const PROVIDER_IDS: readonly string[] = [...CATALOG.keys()]

/** The row of a provider or of an alias; undefined where the catalogue does not know it. */
export function findProvider(id: string): ProviderRow | undefined {
  return CATALOG.get(id)
}

/** The row of a provider; an unknown one is any OpenAI-compatible host. */
export function providerRow(id: string): ProviderRow {
  return CATALOG.get(id) ?? GENERIC_ROW
}

/** How one model of a provider differs from OpenAI's chat API. */
export function quirksFor(provider: string, model: string): Quirks {
  return quirksOf(providerRow(provider), model)
}
