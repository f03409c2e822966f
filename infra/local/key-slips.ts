import { distance } from 'fastest-levenshtein'
import { keyVariablesOf } from '../../lambdas/config/read-keys.ts'
import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import { PROVIDER_IDS } from '../../lambdas/providers/catalog.ts'

type Slips = {
  /** Providers that need a key and have none. */
  unkeyed: readonly string[]
  /** All that the configuration has. */
  providers: readonly string[]
  variables: Readonly<Record<string, string | undefined>>
  /** Empty where there is no such file. */
  dotEnvText: string
}

const LONGEST_SLIP = 3
/** Of a short name, a few letters are the name of something else. */
const longestSlip = (provider: string): number => Math.min(LONGEST_SLIP, Math.ceil(provider.length / 3))
/** `set GROQ_API_KEY` and `OPEN_AI_API_KEY` alike. */
const nameIn = (written: string): string => (written.split(/\s+/).at(-1) ?? '').toUpperCase()
const isAssignment = (line: string): boolean => /^\s*(?:export\s+)?[\w.-]+\s*=/.test(line)

/** Variables that nobody reads and that were meant for a provider without a key, in words; never with a key in them. */
export function keySlips({ unkeyed, providers, variables, dotEnvText }: Slips): readonly string[] {
  const names = Object.entries(variables).flatMap(([name, value]) => (value ? [name] : []))
  // What belongs to a provider was not meant for another one.
  const taken = new Set([...PROVIDER_IDS, ...providers].flatMap(provider => keyVariablesOf(provider)))
  const lines = dotEnvText.split(/\r?\n/)
  return unkeyed.flatMap(provider => {
    const wanted = providerKeyVariable(provider)
    const near = names
      .filter(name => !taken.has(name) && /(?:KEY|TOKEN)$/i.test(name))
      .map(name => ({ name, edits: distance(nameIn(name), wanted) }))
      .filter(({ edits }) => edits <= longestSlip(provider))
      .toSorted((a, b) => a.edits - b.edits)[0]
    if (near) return [`${near.name} is not read. The key of ${provider} is read from ${wanted}.`]
    const pattern = new RegExp(`\\b${wanted}\\b`, 'i')
    const place = lines.findIndex(line => pattern.test(line) && !/^\s*#/.test(line) && !isAssignment(line))
    return place < 0 ? [] : [`Line ${place + 1} of .env does not set ${wanted}: write it as ${wanted}=<key>.`]
  })
}
