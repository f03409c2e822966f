import { providerKeyVariable } from '../../lambdas/core/provider-key-variable.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { findProvider } from '../../lambdas/providers/catalog.ts'
import type { Account, Draft, DraftAlias, DraftEndpoint, NeededKey } from './draft.ts'
import { isPlainName } from '../../lambdas/config/checks/read-loosely.ts'
import { identityOf, nameAccounts, variablesOf, writtenPlace } from './providers/name-accounts.ts'
import type { Report } from './report.ts'

export type Assembled = { config: JsonObject; keys: readonly NeededKey[] }

const CLIENT_KEYS = 'BACKSTOP_CLIENT_KEYS'

/** Writes a draft as a configuration of Backstop's, with an id for each account, and says which keys it needs. */
export function assemble(read: Draft, report: Report): Assembled {
  const draft = { ...read, aliases: usableAliases(read.aliases, report) }
  const endpoints = draft.aliases.flatMap(({ tiers }) => tiers.flatMap(tier => ('alias' in tier ? [] : tier)))
  const accounts = [...draft.accounts, ...endpoints.map(({ account }) => account)]
  const ids = nameAccounts(accounts)
  const unique = [...new Map(accounts.map(account => [identityOf(account), account])).values()]
  const idOf = (account: Account): string => ids.get(identityOf(account)) ?? ''
  for (const account of unique.filter(({ id }) => id !== undefined)) {
    const id = idOf(account)
    if (id !== account.id) {
      report.add(
        'different',
        `"${account.id}/*"`,
        `clients write ${id}/<model>: ${account.id} is another account here.`,
      )
    }
  }
  const providers = unique.flatMap(account => {
    const entry = providerEntry(idOf(account), account)
    return Object.keys(entry).length === 0 ? [] : [[idOf(account), entry] as const]
  })
  const models = draft.aliases.map(alias => [alias.name, modelEntry(alias, idOf, report)] as const)
  return {
    config: {
      ...(providers.length > 0 && { providers: Object.fromEntries(providers) }),
      models: Object.fromEntries(models),
      ...(draft.aliases.some(({ name }) => name === draft.defaultAlias) && { default: draft.defaultAlias }),
      ...(Object.keys(draft.settings).length > 0 && { settings: draft.settings }),
    },
    keys: [
      ...unique.flatMap(account => neededKey(idOf(account), account)),
      ...(draft.clientKey ? [{ variable: CLIENT_KEYS, from: draft.clientKey, customary: [] }] : []),
    ],
  }
}

/** `__proto__` is a name that JavaScript takes for something else. */
const isUsable = (name: string): boolean => isPlainName(name) && !name.includes('*') && name !== '__proto__'

/** Aliases whose name can stand in a configuration, and that lead somewhere. */
function usableAliases(all: readonly DraftAlias[], report: Report): readonly DraftAlias[] {
  const named = all.filter(({ name }) => isUsable(name))
  for (const { name } of all.filter(alias => !named.includes(alias)))
    report.add('left_out', JSON.stringify(name), 'it cannot be the name of a model here.')
  const known = new Set(named.map(({ name }) => name))
  const led = named
    .map(alias => ({
      ...alias,
      tiers: alias.tiers.filter(tier => ('alias' in tier ? known.has(tier.alias) : tier.length > 0)),
    }))
    .filter(({ tiers }) => tiers.length > 0)
  return led.length === all.length ? led : usableAliases(led, report)
}

function providerEntry(id: string, account: Account): JsonObject {
  const { host, key } = account
  const place = writtenPlace(account)
  const isCataloged = findProvider(id) !== undefined
  const needsKey = host?.like === undefined || (findProvider(host.like)?.needsKey ?? true)
  return {
    ...(!isCataloged && host?.like !== undefined && { like: host.like }),
    ...(place !== null && { baseUrl: place }),
    ...(key.kind === 'none' && needsKey && { key: false }),
  }
}

function neededKey(id: string, { host, key }: Account): NeededKey[] {
  if (key.kind === 'none') return []
  const row = host?.like === undefined ? undefined : findProvider(host.like)
  // A key may be set there, and need not.
  if (key.kind === 'default' && (row?.needsKey === false || row?.signedAs)) return []
  return [{ variable: providerKeyVariable(id), from: key, customary: host ? variablesOf(host) : [] }]
}

function modelEntry(alias: DraftAlias, idOf: (account: Account) => string, report: Report): JsonObject {
  const seen = new Map<string, string>()
  const fresh = (endpoint: DraftEndpoint): boolean => {
    const reference = `${idOf(endpoint.account)}/${endpoint.model}`
    const { weight: _, ...fields } = endpoint.fields
    const isFresh = !seen.has(reference)
    if (!isFresh && seen.get(reference) !== JSON.stringify(fields)) {
      report.add(
        'different',
        `${reference}, named more than once`,
        'an endpoint stands at one place of a chain; its first entry counts.',
        alias.name,
      )
    }
    if (isFresh) seen.set(reference, JSON.stringify(fields))
    return isFresh
  }
  const tiers = alias.tiers.flatMap(tier => {
    if ('alias' in tier) return [tier]
    const entries = tier.filter(fresh).map(endpoint => endpointEntry(endpoint, idOf))
    return entries.length === 0 ? [] : [entries.length > 1 ? entries : entries.map(withoutWeight)]
  })
  return { tiers, ...alias.fields }
}

type Entry = string | JsonObject

function endpointEntry({ account, model, fields }: DraftEndpoint, idOf: (account: Account) => string): Entry {
  const endpoint = `${idOf(account)}/${model}`
  return Object.keys(fields).length === 0 ? endpoint : { endpoint, ...fields }
}

/** A share of the requests means nothing where one endpoint takes all of them. */
function withoutWeight(entry: Entry): Entry {
  if (typeof entry === 'string') return entry
  const { weight: _, endpoint, ...rest } = entry
  return Object.keys(rest).length === 0 && typeof endpoint === 'string' ? endpoint : { endpoint, ...rest }
}
