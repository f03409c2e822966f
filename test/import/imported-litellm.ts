import { importSource } from '../../infra/import/import-source.ts'
import { noteLines } from '../../infra/import/note-lines.ts'
import { parseYamlConfig } from '../../infra/import/parse-yaml-config.ts'

/** What becomes of a configuration of LiteLLM's. */
export function importedLitellm(yaml: string, variables: Record<string, string> = {}) {
  const { value } = parseYamlConfig(yaml, { ofLitellm: true })
  const { config, keys, notes } = importSource('litellm', value, { variables })
  return { ...config, keys, notes, lines: noteLines(notes).join('\n') }
}

/** One deployment, in the flow style of YAML. */
export const deployment = (name: string, parameters: string, info = ''): string =>
  `  - { model_name: ${name}, litellm_params: { ${parameters} }, model_info: { ${info} } }\n`
export const listOf = (...deployments: string[]): string => `model_list:\n${deployments.join('')}`
export const one = (parameters: string, info = ''): string => listOf(deployment('m', parameters, info))
