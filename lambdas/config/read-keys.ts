import { providerKeyVariable } from '../core/provider-key-variable.ts'
import { ownerOfKey, providerRow } from '../providers/catalog.ts'

type Variables = { readonly [name: string]: string | undefined }
type Keys = { keys: readonly string[]; warnings: readonly string[] }

/** What editors, chat windows and examples of requests put around a key that is pasted from them. */
const AROUND =
  /^(?:["'\u2018-\u201f\u00ab\u00bb\u200b-\u200f\u2060\ufeff\s]|Bearer\s)+|["'\u2018-\u201f\u00ab\u00bb\u200b-\u200f\u2060\ufeff\s]+$/gi
/** What a key looks like that is shown and not given. */
const SHORTENED = /\.\.\.|\u2026|\*{3}/
/** What stands in examples for a key. */
const PLACEHOLDER =
  /^[<[{].*[>\]}]$|\byour[-_ ]?(?:\w+[-_ ])?(?:api[-_ ]?)?(?:key|token)|^\w{2,5}[-_]x{4,}|^(?:change|replace|fill)[-_ ]?(?:me|this|in)|placeholder|^(?:todo|insert|paste)\b|(?:key|token)[-_ ](?:goes[-_ ])?here$/i
/** `GROQ_API_KEY=gsk_…`, pasted behind a name. */
const ASSIGNMENT = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*=[^=]/
/** https://www.rfc-editor.org/rfc/rfc9110#section-5.5: anything else cannot be sent in a header. */
const VISIBLE = /^[\u0021-\u007e]+$/

/** What a key cannot be, whoever gave it out. */
function problemOfAny(key: string): string | null {
  if (PLACEHOLDER.test(key)) return 'it is what an example has in place of a key. Write your own there'
  if (SHORTENED.test(key)) return 'it is shortened where it is shown. Copy the whole key'
  return VISIBLE.test(key) ? null : 'it holds characters that no key has. Copy it again'
}

/** What a key of a provider cannot be. */
function problemOfProviders(key: string): string | null {
  if (ASSIGNMENT.test(key))
    return 'it begins with the name of a variable. Write the key alone behind the first ='
  if (key.includes(';')) return 'it holds a semicolon. Separate several keys by commas'
  return problemOfAny(key)
}

/** The keys that a variable lists, without those that cannot be one; never with a key in a warning. */
export function readKeys(variable: string, env: Variables, problemOf = problemOfAny): Keys {
  const listed = (env[variable] ?? '')
    .split(',')
    .map(part => part.replace(AROUND, ''))
    .filter(part => part !== '')
  return {
    keys: listed.filter(key => problemOf(key) === null),
    warnings: listed.flatMap((key, place) => {
      const problem = problemOf(key)
      const which = listed.length > 1 ? `Key ${place + 1} of ${variable}` : variable
      return problem === null ? [] : [`${which} is ignored: ${problem}.`]
    }),
  }
}

/** Where the keys of a provider may stand: in its own variable, which comes first, or where people have them already. */
export const keyVariablesOf = (provider: string): readonly string[] => [
  providerKeyVariable(provider),
  ...providerRow(provider).keyVariables,
]

/** The keys of a provider: in its own variable, else in one where people have it already. */
export function readProviderKeys(provider: string, env: Variables): Keys {
  const found = keyVariablesOf(provider).map(name => readKeys(name, env, problemOfProviders))
  const { keys } = found.find(read => read.keys.length > 0) ?? { keys: [] }
  const owners = new Set(keys.flatMap(key => ownerOfKey(provider, key) ?? []))
  return {
    keys,
    warnings: [
      ...found.flatMap(({ warnings }) => warnings),
      ...[...owners].map(
        owner =>
          `The key of ${provider} begins like a key of ${owner}: is it in the right variable? ` +
          `${owner} reads ${providerKeyVariable(owner)}.`,
      ),
    ],
  }
}
