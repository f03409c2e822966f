import { textOf, variableIn } from '../read-values.ts'

/** Where the key of an account is, in the other gateway's configuration. */
export type KeySource =
  /** In the variable in which the provider's key is by custom. */
  | { kind: 'default' }
  /** The host needs none. */
  | { kind: 'none' }
  | { kind: 'variable'; name: string }
  /** In the file itself. */
  | { kind: 'literal'; value: string }
  /** Another program fills it in, such as Helm; its words tell two of them apart. */
  | { kind: 'template'; text: string }
  /** In a vault of the other gateway, under this name. */
  | { kind: 'vault'; name: string }

/** What people write where a field must not be empty: words that no provider gives out as a key. */
const PLACEHOLDER =
  /^(?:none|null|nil|n\/?a|empty|dummy|fake|test|unused|ignored?|anything|any|local|ollama|vllm|lm-?studio|llama|no|x+|[-.*]+|(?:dummy|fake|not|no)[-_ ]?(?:an?[-_ ])?(?:api[-_ ]?)?(?:keys?|needed|required|used|set|necessary)?(?:[-_ ](?:needed|required|used|set|necessary))?)$/i

const TEMPLATE = /\{\{.*\}\}|<%.*%>|^<[^<>]+>$/s

/** Reads an `api_key`. */
export function readKeySource(value: unknown): KeySource {
  const text = textOf(value)
  if (text === undefined) return { kind: 'default' }
  const name = variableIn(text)
  if (name !== null) return { kind: 'variable', name }
  if (TEMPLATE.test(text)) return { kind: 'template', text }
  return PLACEHOLDER.test(text) ? { kind: 'none' } : { kind: 'literal', value: text }
}
