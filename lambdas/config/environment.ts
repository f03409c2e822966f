import { ENVIRONMENT } from '../contract.ts'
import type { Settings } from '../core/settings.ts'
import { providerKeyVariable } from '../core/provider-key-variable.ts'
import { SETTING_NAMES, describeSetting, parseSetting } from '../core/setting-values.ts'

/** What the process was told by its environment. */
export type Environment = {
  /** The keys of each provider that has any, in the order in which they are used. */
  providerKeys: ReadonlyMap<string, readonly string[]>
  /** Empty = none set. */
  clientKeys: readonly string[]
  settings: Partial<Settings>
  /** The name of the fleet's table; null where the platform gives none. */
  table: string | null
  /** For people; never with a key in them. */
  warnings: readonly string[]
}

type Variables = { readonly [name: string]: string | undefined }

/** Reads `<PROVIDER>_API_KEY`, `BACKSTOP_CLIENT_KEYS` and every setting by its name in capitals. */
export function readEnvironment(providerIds: Iterable<string>, env: Variables = process.env): Environment {
  const keys = [...providerIds].map(id => [id, listOf(env[providerKeyVariable(id)])] as const)
  return {
    providerKeys: new Map(keys.filter(([, list]) => list.length > 0)),
    clientKeys: listOf(env['BACKSTOP_CLIENT_KEYS']),
    table: env[ENVIRONMENT.table] || null,
    ...readSettings(env),
  }
}

function readSettings(env: Variables): Pick<Environment, 'settings' | 'warnings'> {
  const settings: Record<string, string | number | boolean> = {}
  const warnings: string[] = []
  for (const name of SETTING_NAMES) {
    const variable = name.toUpperCase()
    const text = env[variable]?.trim() ?? ''
    if (text === '') continue
    const value = parseSetting(name, text)
    if (value !== undefined) settings[name] = value
    else warnings.push(`${variable} is ignored: expected ${describeSetting(name)}.`)
  }
  return { settings: settings as Partial<Settings>, warnings }
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
