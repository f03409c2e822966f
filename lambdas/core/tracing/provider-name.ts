import type { Endpoint } from '../endpoint.ts'

/** Those that OpenTelemetry calls otherwise than the catalogue; every other id is its own name. */
const NAMES: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  'azure-openai': 'azure.ai.openai',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  'moonshot-cn': 'moonshot_ai',
  xai: 'x_ai',
}

/** `gen_ai.provider.name` of an endpoint. */
export function providerName({ like, provider }: Pick<Endpoint, 'like' | 'provider'>): string {
  const id = like ?? provider
  return NAMES[id] ?? id
}
