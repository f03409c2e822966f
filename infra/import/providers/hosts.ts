import type { ProviderId } from '../../../lambdas/providers/catalog.ts'

/** A host of models as other gateways call it. */
export type Host = {
  /** The names in other gateways; their case, dashes and underscores do not count. */
  names: readonly string[]
  /** Its row in the catalogue. */
  like?: ProviderId
  /** Other ids that the catalogue has for the same row. */
  spellings?: readonly ProviderId[]
  /** Where it is, if it has no row. */
  baseUrl?: string
  /** The variables in which other gateways look for its key. */
  variables?: readonly string[]
}

const row = (like: ProviderId, names: readonly string[] = [], variables: readonly string[] = []): Host => ({
  like,
  names: [like, ...names],
  variables,
})

const compatible = (
  name: string,
  baseUrl: string,
  names: readonly string[] = [],
  ...variables: string[]
): Host => ({
  names: [name, ...names],
  baseUrl,
  variables,
})

/** Hosts that the catalogue has, and hosts that speak OpenAI's chat API at a known place. */
export const HOSTS: readonly Host[] = [
  row('openai'),
  {
    ...row('azure-openai', ['azure', 'azure-ai', 'azure-ai-inference', 'azure-foundry']),
    spellings: ['azure'],
    variables: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY', 'AZURE_AI_API_KEY'],
  },
  row('anthropic', ['anthropic-text']),
  row('gemini', ['google', 'google-ai-studio'], ['GEMINI_API_KEY', 'GOOGLE_API_KEY']),
  row('mistral', ['mistral-ai']),
  row('cohere', ['cohere-chat'], ['COHERE_API_KEY', 'CO_API_KEY']),
  row('xai', ['x-ai']),
  row('groq'),
  row('cerebras'),
  row('sambanova'),
  row('together', ['together-ai'], ['TOGETHERAI_API_KEY', 'TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY']),
  row('fireworks', ['fireworks-ai'], ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY', 'FIREWORKSAI_API_KEY']),
  row('nvidia', ['nvidia-nim'], ['NVIDIA_NIM_API_KEY', 'NVIDIA_API_KEY']),
  row('huggingface', [], ['HUGGINGFACE_API_KEY', 'HF_TOKEN']),
  row('chutes'),
  row('featherless', ['featherless-ai'], ['FEATHERLESS_AI_API_KEY', 'FEATHERLESS_API_KEY']),
  row('openrouter', [], ['OPENROUTER_API_KEY', 'OR_API_KEY']),
  row('opencode-zen', ['opencode']),
  row('pollinations'),
  row('ollama-cloud'),
  row('litellm', ['litellm-proxy'], ['LITELLM_PROXY_API_KEY', 'LITELLM_API_KEY']),
  row('github-models', ['github'], ['GITHUB_API_KEY', 'GITHUB_TOKEN']),
  row('deepseek'),
  row('moonshot', ['moonshot-ai', 'kimi']),
  row('zai', ['z-ai']),
  row('zhipu', ['zhipu-ai', 'bigmodel'], ['ZHIPUAI_API_KEY', 'ZHIPU_API_KEY']),
  row('dashscope', ['qwen', 'alibaba']),
  row('minimax'),
  row('modelscope'),
  row('bedrock', ['bedrock-converse', 'bedrock-mantle', 'aws-bedrock']),
  row('cloudflare', ['workers-ai'], ['CLOUDFLARE_API_KEY']),
  row('ollama', ['ollama-chat']),
  row('vllm', ['hosted-vllm'], ['HOSTED_VLLM_API_KEY', 'VLLM_API_KEY']),
  row('llama.cpp', ['llama-cpp', 'llamafile', 'llama-server']),
  row('lmstudio', ['lm-studio'], ['LM_STUDIO_API_KEY', 'LMSTUDIO_API_KEY']),
  compatible(
    'perplexity',
    'https://api.perplexity.ai',
    ['perplexity-ai'],
    'PERPLEXITYAI_API_KEY',
    'PERPLEXITY_API_KEY',
  ),
  compatible('deepinfra', 'https://api.deepinfra.com/v1/openai'),
  compatible('novita', 'https://api.novita.ai/v3/openai', ['novita-ai']),
  compatible('hyperbolic', 'https://api.hyperbolic.xyz/v1'),
  compatible('nebius', 'https://api.studio.nebius.ai/v1'),
  compatible('lambda', 'https://api.lambda.ai/v1', ['lambda-ai'], 'LAMBDA_API_KEY'),
  compatible('nscale', 'https://inference.api.nscale.com/v1'),
  compatible('ai21', 'https://api.ai21.com/studio/v1', ['ai21-chat']),
  compatible(
    'friendli',
    'https://api.friendli.ai/serverless/v1',
    ['friendliai'],
    'FRIENDLIAI_API_KEY',
    'FRIENDLI_TOKEN',
  ),
  compatible('volcengine', 'https://ark.cn-beijing.volces.com/api/v3'),
  compatible('meta-llama', 'https://api.llama.com/compat/v1', [], 'LLAMA_API_KEY'),
  compatible('siliconflow', 'https://api.siliconflow.cn/v1'),
  compatible('voyage', 'https://api.voyageai.com/v1', ['voyage-ai']),
  compatible('jina', 'https://api.jina.ai/v1', ['jina-ai'], 'JINA_AI_API_KEY', 'JINA_API_KEY'),
  compatible('inference-net', 'https://api.inference.net/v1'),
  compatible('upstage', 'https://api.upstage.ai/v1/solar'),
  compatible('v0', 'https://api.v0.dev/v1'),
  compatible('morph', 'https://api.morphllm.com/v1'),
  compatible('vercel-ai-gateway', 'https://ai-gateway.vercel.sh/v1'),
  compatible('codestral', 'https://codestral.mistral.ai/v1'),
]

const GOOGLE =
  'calls are signed with a Google service account, which is not supported. For a Gemini model use the Gemini API ' +
  '(gemini/<model> with GEMINI_API_KEY), for a Claude model Anthropic or another host of it.'
const NO_CHAT_API =
  'this host has no OpenAI-compatible API. Put a proxy that has one in front of it, and import its api_base.'
const TEXT_COMPLETION =
  'it is called in /v1/completions, which is not served. If the model is for chat, write its provider alone before it (openai/…).'

/** Hosts that cannot be called, and what to do instead. */
export const REFUSED_HOSTS: ReadonlyMap<string, string> = new Map(
  [
    ...['vertex-ai', 'vertex-ai-beta', 'google-vertex-ai', 'vertex'].map(name => [name, GOOGLE] as const),
    ...[
      'sagemaker',
      'sagemaker-chat',
      'watsonx',
      'watsonx-text',
      'replicate',
      'petals',
      'nlp-cloud',
      'aleph-alpha',
    ].map(name => [name, NO_CHAT_API] as const),
    ...['predibase', 'oci', 'oracle', 'triton', 'bytez', 'palm', 'snowflake', 'lm-evaluation'].map(
      name => [name, NO_CHAT_API] as const,
    ),
    ...['text-completion-openai', 'text-completion-codestral', 'text-completion-inception', 'azure-text'].map(
      name => [name, TEXT_COMPLETION] as const,
    ),
    ...['github-copilot', 'chatgpt'].map(
      name =>
        [name, 'it is called with a signed-in account, not with a key, which is not supported.'] as const,
    ),
  ].map(([name, advice]) => [name.replaceAll('-', ''), advice]),
)
