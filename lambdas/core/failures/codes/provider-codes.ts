import { matchCodeRule, type CodeRule } from './code-rule.ts'
import type { ErrorEnvelope } from '../error-envelope.ts'
import {
  BEDROCK_CODES,
  CLOUDFLARE_CODES,
  GITHUB_CODES,
  GROQ_CODES,
  HUGGINGFACE_CODES,
  CEREBRAS_CODES,
  NVIDIA_CODES,
  FIREWORKS_CODES,
  FEATHERLESS_CODES,
} from './host-codes.ts'
import { KILO_CODES, LITELLM_CODES, OPENROUTER_CODES, POLLINATIONS_CODES, ZEN_CODES } from './relay-codes.ts'
import { LLAMA_CPP_CODES, LM_STUDIO_CODES } from './self-hosted-codes.ts'
import type { Verdict } from '../verdict.ts'
import {
  ANTHROPIC_CODES,
  AZURE_CODES,
  COHERE_CODES,
  DASHSCOPE_CODES,
  DEEPSEEK_CODES,
  GEMINI_CODES,
  MISTRAL_CODES,
  MODELSCOPE_CODES,
  MOONSHOT_CODES,
  OPENAI_CODES,
  XAI_CODES,
  ZHIPU_CODES,
} from './vendor-codes.ts'

/** The same number means capacity at one provider and a missing model at another, so no table is shared by chance. */
const TABLES: ReadonlyMap<string, readonly CodeRule[]> = new Map([
  ['openai', OPENAI_CODES],
  ['azure-openai', AZURE_CODES],
  ['azure', AZURE_CODES],
  ['anthropic', ANTHROPIC_CODES],
  ['gemini', GEMINI_CODES],
  ['google', GEMINI_CODES],
  ['mistral', MISTRAL_CODES],
  ['cohere', COHERE_CODES],
  ['xai', XAI_CODES],
  ['deepseek', DEEPSEEK_CODES],
  ['zai', ZHIPU_CODES],
  ['zhipu', ZHIPU_CODES],
  ['moonshot', MOONSHOT_CODES],
  ['moonshot-cn', MOONSHOT_CODES],
  ['kimi-coding', MOONSHOT_CODES],
  ['kimi', MOONSHOT_CODES],
  ['dashscope', DASHSCOPE_CODES],
  ['dashscope-intl', DASHSCOPE_CODES],
  ['modelscope', MODELSCOPE_CODES],
  ['groq', GROQ_CODES],
  ['cerebras', CEREBRAS_CODES],
  ['cloudflare', CLOUDFLARE_CODES],
  ['bedrock', BEDROCK_CODES],
  ['huggingface', HUGGINGFACE_CODES],
  ['nvidia', NVIDIA_CODES],
  ['fireworks', FIREWORKS_CODES],
  ['featherless', FEATHERLESS_CODES],
  ['github-models', GITHUB_CODES],
  ['openrouter', OPENROUTER_CODES],
  ['pollinations', POLLINATIONS_CODES],
  ['opencode-zen', ZEN_CODES],
  ['opencode-go', ZEN_CODES],
  ['kilo', KILO_CODES],
  ['litellm-proxy', LITELLM_CODES],
  ['litellm', LITELLM_CODES],
  ['llama.cpp', LLAMA_CPP_CODES],
  ['lmstudio', LM_STUDIO_CODES],
])

/** What the provider's own codes say, or null where it has none for this. */
export function judgeProviderCode(
  provider: string,
  envelope: ErrorEnvelope,
  status: number | null,
): Verdict | null {
  return matchCodeRule(TABLES.get(provider) ?? [], envelope, status)
}
