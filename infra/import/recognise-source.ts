import { fieldAt } from './read-values.ts'

export const SOURCE_NAMES = ['litellm', 'openrouter', 'portkey'] as const
export type SourceName = (typeof SOURCE_NAMES)[number]

export const SOURCE_TITLES: Readonly<Record<SourceName, string>> = {
  litellm: 'LiteLLM',
  openrouter: 'OpenRouter',
  portkey: 'Portkey',
}

const isList = (value: unknown): boolean => Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string'

/** Whose configuration a document is; null = Backstop's own, or nobody's that is known. */
export function recogniseSource(document: unknown): SourceName | null {
  const at = (...path: string[]): unknown => fieldAt(document, ...path)
  if (isList(at('model_list')) || at('litellm_settings') || isList(at('proxy_config', 'model_list')))
    return 'litellm'
  if (isList(at('targets')) || isText(at('strategy', 'mode')) || isText(at('virtual_key'))) return 'portkey'
  if (isList(at('config', 'targets')) || isText(at('config', 'strategy', 'mode'))) return 'portkey'
  if (isText(at('provider'))) return 'portkey'
  if (isList(at('models')) || isText(at('model'))) return 'openrouter'
  if (isList(at('config', 'models')) || isText(at('config', 'model'))) return 'openrouter'
  return null
}
