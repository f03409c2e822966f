import type { NeededKey } from './draft.ts'
import type { Variables } from './read-values.ts'

/** A key under the variable that Backstop reads, with its value where it is known here. */
export type KeyValue = {
  variable: string
  /** Null = not known here. Never to be shown. */
  value: string | null
  /** Set under its own variable already. */
  isSet: boolean
  /** Where it comes from, in words. */
  origin: string
}

function originOf({ from, variable, customary }: NeededKey): string {
  if (from.kind === 'variable') return from.name === variable ? '' : `from ${from.name}`
  if (from.kind === 'literal') return 'its value is in the file'
  if (from.kind === 'vault') return `the key that Portkey keeps as "${from.name}"`
  if (from.kind === 'template') return 'a template of the file stands for it'
  const others = customary.filter(name => name !== variable)
  return others.length === 0 ? '' : `or from ${others.join(', ')}`
}

/**
 * Looks for the keys that an imported configuration needs.
 * @param here what the gateway will be started with, where that is less.
 */
export function keyValues(
  keys: readonly NeededKey[],
  variables: Variables,
  here = variables,
): readonly KeyValue[] {
  const valueOf = ({ from, variable, customary }: NeededKey): string | undefined => {
    if (from.kind === 'literal') return from.value
    if (from.kind === 'variable') return variables[from.name] || variables[variable]
    return [variable, ...customary].map(name => variables[name]).find(Boolean)
  }
  return keys.map(key => {
    const value = valueOf(key) || null
    return {
      variable: key.variable,
      value,
      isSet: value !== null && here[key.variable] === value,
      origin: originOf(key),
    }
  })
}

/** The environment with these keys under the variables that Backstop reads. */
export const withKeys = (variables: Variables, keys: readonly KeyValue[]): Variables => ({
  ...variables,
  ...Object.fromEntries(
    keys.flatMap(({ variable, value }) => (value === null ? [] : [[variable, value] as const])),
  ),
})

/** What is set and what is not, for the terminal. */
export function keyLines(keys: readonly KeyValue[]): readonly string[] {
  const width = Math.max(0, ...keys.map(({ variable }) => variable.length))
  const stateOf = ({ value, isSet, origin }: KeyValue): string => {
    if (isSet) return 'set'
    return [value === null ? 'not set' : 'known here, not set', origin].filter(part => part !== '').join('; ')
  }
  return keys.map(key => `  ${key.variable.padEnd(width)}  ${stateOf(key)}`)
}
