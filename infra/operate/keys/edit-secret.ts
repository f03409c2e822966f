import { isJsonObject, type Json, type JsonObject } from '../../../lambdas/core/json.ts'
import { CommandError } from '../../terminal/command-error.ts'

/** The parts of the secret that people edit; the generated client key is none of them. */
export type SecretSection = 'clients' | 'providers'

/** A section as entries. Throws where it is no object: what cannot be understood must not be overwritten. */
export function sectionOf(secret: JsonObject, section: SecretSection): [string, Json | undefined][] {
  const value = secret[section] ?? {}
  if (isJsonObject(value)) return Object.entries(value)
  throw new CommandError(`"${section}" in the secret is not an object. Repair it in the AWS console.`)
}

/** The secret with one entry set, and everything else as it was. */
export function withEntry(
  secret: JsonObject,
  section: SecretSection,
  [name, value]: readonly [string, string | readonly string[]],
): JsonObject {
  const others = sectionOf(secret, section).filter(([other]) => other !== name)
  return { ...secret, [section]: Object.fromEntries([...others, [name, value]]) }
}

/** The secret without one entry, and everything else as it was. Throws where there is none of that name. */
export function withoutEntry(secret: JsonObject, section: SecretSection, name: string): JsonObject {
  const entries = sectionOf(secret, section)
  const others = entries.filter(([other]) => other !== name)
  if (others.length < entries.length) return { ...secret, [section]: Object.fromEntries(others) }
  const known = entries.map(([other]) => other)
  const what = section === 'clients' ? `client '${name}'` : `key of '${name}'`
  const there = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`
  throw new CommandError(`The secret has no ${what}. ${there}`)
}
