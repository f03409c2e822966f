import { parseDocument, type Tags } from 'yaml'
import { checkNesting, TOO_DEEP } from './check-nesting.ts'

/** What LiteLLM's own parser (YAML 1.1) reads: `yes` is true, and of a name that stands twice the last one counts. */
type Reading = { ofLitellm: boolean }

export type ReadYaml = {
  value: unknown
  /** Names that stand twice, as the parser tells them: only where that is allowed. */
  doubled: readonly string[]
}

/** As many uses of anchors as a long list of models may have, and no more: each use is a copy. */
const MAX_ALIASES = 20_000

/** Of YAML 1.1 only what has a place in JSON: a date that is not quoted, such as a version of Azure's API, is a text. */
const KNOWN_TAGS = /^tag:yaml\.org,2002:(?:null|bool|int|float|merge|str|map|seq)$/
const isKnown = (tag: Tags[number]): boolean =>
  typeof tag !== 'object' || (KNOWN_TAGS.test(tag.tag) && tag.format !== 'TIME')

/** The booleans of PyYAML, with which LiteLLM reads: those of YAML 1.1 without `y` and `n`. */
const TRUE = /^(?:[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/
const FALSE = /^(?:[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/
function asPython(tag: Tags[number]): Tags[number] {
  if (typeof tag !== 'object' || tag.tag !== 'tag:yaml.org,2002:bool' || tag.collection) return tag
  return { ...tag, test: tag.test?.test('yes') ? TRUE : FALSE }
}

/** YAML with anchors and merge keys. Throws what is wrong, and where. */
export function parseYamlConfig(text: string, { ofLitellm }: Reading): ReadYaml {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    version: ofLitellm ? '1.1' : '1.2',
    merge: true,
    customTags: tags => tags.filter(isKnown).map(ofLitellm ? asPython : tag => tag),
    prettyErrors: true,
  })
  const isDoubled = ({ code }: { code: string }): boolean => ofLitellm && code === 'DUPLICATE_KEY'
  const first = document.errors.find(error => !isDoubled(error))
  // The rest of the message is an excerpt, which may hold a key.
  const headOf = ({ message }: Error): string => message.split('\n')[0]?.replace(/:$/, '') ?? ''
  if (first) throw new Error(first.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : headOf(first))
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
  checkNesting(value)
  return {
    value,
    doubled: document.errors.map(headOf),
  }
}
