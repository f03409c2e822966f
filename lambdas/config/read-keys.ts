import { providerKeyVariable } from '../core/provider-key-variable.ts'
import { providerRow } from '../providers/catalog.ts'

type Variables = { readonly [name: string]: string | undefined }
type Keys = { keys: readonly string[]; warnings: readonly string[] }

/** What editors and chat windows put around a key that is pasted from them. */
const QUOTES = /^["'\u2018-\u201f\u00ab\u00bb]+|["'\u2018-\u201f\u00ab\u00bb]+$/g
/** What a key looks like that is shown and not given. */
const SHORTENED = /\.\.\.|\u2026|\*{3}/
/** https://www.rfc-editor.org/rfc/rfc9110#section-5.5: anything else cannot be sent in a header. */
const VISIBLE = /^[\u0021-\u007e]+$/

function problemOf(key: string): string | null {
  if (SHORTENED.test(key)) return 'it is shortened where it is shown. Copy the whole key'
  return VISIBLE.test(key) ? null : 'it holds characters that no key has. Copy it again'
}

/** The keys that a variable lists, without those that cannot be one; never with a key in a warning. */
export function readKeys(variable: string, env: Variables): Keys {
  const listed = (env[variable] ?? '')
    .split(',')
    .map(part => part.trim().replace(QUOTES, '').trim())
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

/** The keys of a provider: in its own variable, else in one where people have it already. */
export function readProviderKeys(provider: string, env: Variables): Keys {
  const found = [providerKeyVariable(provider), ...providerRow(provider).keyVariables].map(name =>
    readKeys(name, env),
  )
  const { keys } = found.find(read => read.keys.length > 0) ?? { keys: [] }
  return { keys, warnings: found.flatMap(({ warnings }) => warnings) }
}
