import { providerKeyVariable } from '../../../lambdas/core/provider-key-variable.ts'
import { findProvider, PROVIDER_IDS } from '../../../lambdas/providers/catalog.ts'
import type { Account } from '../draft.ts'
import { placeOf } from './find-host.ts'

/** Two accounts are one where nothing tells them apart. */
export const identityOf = ({ host, baseUrl, key, id }: Account): string =>
  JSON.stringify([host?.names[0] ?? null, baseUrl, isCustomary(key, host) ? 'default' : key, id ?? null])

/** The first of the customary variables is where the key is looked for anyway. */
const isCustomary = (key: Account['key'], host: Account['host']): boolean =>
  key.kind === 'default' ||
  (key.kind === 'variable' && host !== undefined && key.name === variablesOf(host)[0])

/** The variables in which a host's key is by custom: those of other gateways, then Backstop's. */
export function variablesOf({
  names,
  like,
  variables = [],
}: NonNullable<Account['host']>): readonly string[] {
  const id = like ?? names[0]
  return [
    ...new Set([
      ...variables,
      ...(id === undefined ? [] : [providerKeyVariable(id)]),
      ...(like === undefined ? [] : (findProvider(like)?.keyVariables ?? [])),
    ]),
  ]
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')

/** `AZURE_API_KEY_EU` → `azure-eu`, so that the variable is found again in the provider's id. */
const idOfVariable = (name: string): string => slug(name.replace(/_?(?:API_?)?(?:KEY|TOKEN)(?=_|$)/i, ''))

/** Parts of a host's name that say nothing about who it is. */
const COMMON =
  /^(?:api|www|com|net|org|io|ai|co|dev|app|example|local|internal|v\d+|openai|azure|cognitiveservices|services|llms?|gateway|inference|models?|\d+)$/

/** `https://eu-west.openai.azure.com/openai/v1` → `eu-west`. */
function idOfPlace(baseUrl: string): string {
  const { hostname, port } = new URL(baseUrl)
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return slug(`host-${hostname}-${port}`)
  const telling = hostname.split('.').find(part => !COMMON.test(part))
  return slug(telling ?? hostname).replace(/-api$/, '')
}

/** Whether the key of an account is in this variable today. */
function readsFrom({ host, key }: Account, variable: string): boolean {
  if (key.kind === 'variable') return key.name === variable
  return key.kind === 'default' && host !== undefined && variablesOf(host).includes(variable)
}

/** The ids that the catalogue has for a host. */
const catalogIds = ({ host }: Account): readonly string[] =>
  host?.like === undefined ? [] : [...(host.spellings ?? []), host.like]

/** Ids from the most to the least telling. */
function candidatesFor(account: Account): readonly string[] {
  const { host, baseUrl, key, id } = account
  const name = slug(host?.like ?? host?.names[0] ?? '')
  const own = [...catalogIds(account), ...(host?.like === undefined && host ? [name] : [])]
  const isOwnKey = key.kind !== 'variable' || (host !== undefined && variablesOf(host).includes(key.name))
  const place = baseUrl === null ? '' : idOfPlace(baseUrl)
  // A variable of the shell does not begin with a digit.
  const before = /^[a-z]/.test(name) ? name : 'host'
  return [
    id ?? '',
    ...own.filter(name => key.kind === 'variable' && providerKeyVariable(name) === key.name),
    ...(isOwnKey && baseUrl === null ? own : []),
    key.kind === 'variable' ? idOfVariable(key.name) : '',
    key.kind === 'vault' ? slug(key.name) : '',
    ...(isOwnKey && host !== undefined ? own : []),
    place,
    [name, place].filter(part => part !== '').join('-'),
  ]
    .filter(candidate => candidate !== '')
    .map(candidate => (/^\d/.test(candidate) ? `${before}-${candidate}` : candidate))
}

/** Every provider's variable in the catalogue, with the ids that read it. */
const CATALOG_VARIABLES = new Map(
  PROVIDER_IDS.flatMap(id =>
    [providerKeyVariable(id), ...(findProvider(id)?.keyVariables ?? [])].map(
      variable => [variable, id] as const,
    ),
  ),
)

/** An id for each account, such that no two of them read one variable, and none reads another provider's. */
export function nameAccounts(accounts: readonly Account[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const sources = new Set(accounts.flatMap(({ key }) => (key.kind === 'variable' ? [key.name] : [])))
  const isFree = (id: string, account: Account): boolean => {
    const variable = providerKeyVariable(id)
    if (taken.has(variable)) return false
    // What holds another account's key already must not be read for this one.
    if (sources.has(variable) && !readsFrom(account, variable)) return false
    const owner = CATALOG_VARIABLES.get(variable)
    return owner === undefined || (owner === id && catalogIds(account).includes(id))
  }
  // Whoever is at the provider's own place comes first to the provider's own id.
  const isAtHome = ({ baseUrl, key, id }: Account): boolean =>
    id !== undefined || (baseUrl === null && key.kind === 'default')
  for (const account of [...accounts.filter(isAtHome), ...accounts.filter(found => !isAtHome(found))]) {
    const identity = identityOf(account)
    if (names.has(identity)) continue
    const candidates = candidatesFor(account)
    const base = slug(candidates[0] ?? 'provider')
    const numbered = Array.from({ length: accounts.length + 2 }, (_, index) => `${base}-${index + 2}`)
    const id = [...candidates, ...numbered].find(candidate => isFree(candidate, account))
    if (id === undefined) throw new Error(`No ID is left for ${base}.`)
    names.set(identity, id)
    taken.add(providerKeyVariable(id))
  }
  return names
}

/** The place that has to be written for an account under this id; null = the catalogue knows it. */
export function writtenPlace({ host, baseUrl }: Account): string | null {
  if (baseUrl !== null) return baseUrl
  return host && host.like === undefined ? placeOf(host) : null
}
