import { PROVIDER_IDS, findProvider } from '../../providers/catalog.ts'
import { baseUrlProblem } from '../base-url.ts'
import { checkAliases } from './check-aliases.ts'
import { checkDeploy } from './check-deploy.ts'
import { checkClients } from './check-clients.ts'
import { didYouMean } from '../closest-name.ts'
import type { ConfigProblem } from '../config-error.ts'
import { showValue } from '../config-error.ts'
import { splitReference } from '../endpoint-reference.ts'
import { entriesOf, field, isPlainName, PLAIN_NAME, type Entries } from './read-loosely.ts'
import { providerKeyVariable } from '../../core/provider-key-variable.ts'

type Path = readonly PropertyKey[]

/**
 * What no schema of one place can see: providers that exist, references that resolve, places given twice.
 * Takes anything and passes over what has the wrong shape, so that one run reports both kinds of problem.
 */
export function crossCheck(config: unknown): ConfigProblem[] {
  const providers = entriesOf(field(config, 'providers'))
  const models = entriesOf(field(config, 'models'))
  return [
    ...providers.flatMap(([id, provider]) => checkProvider(id, provider)),
    ...checkKeyVariables(providers.map(([id]) => id)),
    ...models.flatMap(([alias, model]) => checkModel(alias, model, providers)),
    ...checkAliases(config),
    ...checkClients(config),
    ...checkDeploy(config),
  ]
}

function checkProvider(id: string, provider: unknown): ConfigProblem[] {
  const path = ['providers', id]
  const [baseUrl, like] = [field(provider, 'baseUrl'), field(provider, 'like')]
  const problems = [...checkTimeoutNames(path, provider), ...checkLike(id, like)]
  if (!/^[a-z0-9][\w.-]*$/i.test(id)) {
    problems.push({ path, message: 'expected an ID of letters, digits, dots, dashes and underscores' })
  }
  if (typeof baseUrl === 'string') {
    const expected = baseUrlProblem(baseUrl)
    // A URL with a password in it is the one that must not be repeated.
    const found = baseUrl.includes('@') ? 'a URL (not shown)' : showValue(baseUrl)
    if (expected !== null) problems.push({ path: [...path, 'baseUrl'], message: `${expected}, got ${found}` })
  } else if (baseUrl === undefined) {
    const isUnlike = typeof like === 'string' && !findProvider(like)
    const message = isUnlike ? null : missingBaseUrl(typeof like === 'string' ? like : id)
    if (message !== null) problems.push({ path, message })
  }
  return problems
}

/** A second account, region or spelling of a provider is one of the catalogue's, under an id that it does not have. */
function checkLike(id: string, like: unknown): ConfigProblem[] {
  if (typeof like !== 'string') return []
  const path = ['providers', id, 'like']
  if (!findProvider(like)) {
    const hint = didYouMean(like, PROVIDER_IDS) || ' Expected the ID of a provider of the catalogue.'
    return [{ path, message: `unknown provider "${like}".${hint}` }]
  }
  return findProvider(id) ? [{ path, message: `choose another ID: "${id}" is in the catalogue itself` }] : []
}

/** What to write where neither the catalogue nor the configuration says where a provider lives. */
function missingBaseUrl(id: string): string | null {
  const row = findProvider(id)
  if (row === undefined) {
    const closest = didYouMean(id, PROVIDER_IDS)
    return closest === ''
      ? `unknown provider "${id}"; a custom provider needs a baseUrl`
      : `unknown provider "${id}".${closest} A custom provider needs a baseUrl.`
  }
  return row.baseUrl === null ? `needs the baseUrl of your account, such as "${row.baseUrlExample}"` : null
}

/** Two providers that read one variable would be sent each other's keys. */
function checkKeyVariables(ids: readonly string[]): ConfigProblem[] {
  return ids.flatMap((id, index) => {
    const variable = providerKeyVariable(id)
    const other = ids.slice(0, index).find(earlier => providerKeyVariable(earlier) === variable)
    const message = `choose another ID: "${other}" also reads its key from ${variable}`
    return other === undefined ? [] : [{ path: ['providers', id], message }]
  })
}

function checkModel(alias: string, model: unknown, providers: Entries): ConfigProblem[] {
  const path = ['models', alias]
  const problems = checkTimeoutNames(path, model)
  if (!isPlainName(alias)) problems.push({ path, message: PLAIN_NAME })
  const tiers = field(model, 'tiers')
  if (!Array.isArray(tiers)) return problems
  if (tiers.length === 0) {
    problems.push({ path: [...path, 'tiers'], message: 'expected at least one tier' })
  }
  if (field(model, 'kind') === 'embeddings' && tiers.length > 1) {
    const message =
      'expected one tier for embeddings: vectors of different models do not mix, so that there is nothing to fall ' +
      'back to. List all hosts of the one model in it.'
    problems.push({ path: [...path, 'tiers'], message })
  }
  const seen = new Map<string, string>()
  for (const [tierIndex, tier] of tiers.entries()) {
    if (!Array.isArray(tier)) continue
    const tierPath = [...path, 'tiers', tierIndex]
    if (tier.length === 0) {
      problems.push({ path: tierPath, message: 'expected at least one endpoint in a tier' })
    }
    for (const [index, entry] of tier.entries()) {
      problems.push(...checkEntry([...tierPath, index], entry, providers, seen))
    }
  }
  return problems
}

function checkEntry(
  entryPath: Path,
  entry: unknown,
  providers: Entries,
  seen: Map<string, string>,
): ConfigProblem[] {
  const written = typeof entry === 'string'
  const path = written ? entryPath : [...entryPath, 'endpoint']
  const reference = written ? entry : field(entry, 'endpoint')
  const timeoutNames = checkTimeoutNames(entryPath, entry)
  if (typeof reference !== 'string') return timeoutNames
  const earlier = seen.get(reference)
  seen.set(reference, earlier ?? `tier ${Number(entryPath.at(-2)) + 1}`)
  const message =
    earlier === undefined
      ? referenceProblem(reference, providers)
      : `list each endpoint once: ${showValue(reference)} is already in ${earlier}`
  return message === null ? timeoutNames : [...timeoutNames, { path, message }]
}

function referenceProblem(reference: string, providers: Entries): string | null {
  const parts = splitReference(reference)
  const found = showValue(reference)
  if (parts === null) return `expected "<provider>/<upstream model>", such as "openai/gpt-4o", got ${found}`
  if (/\s/.test(reference)) return `expected a reference without spaces, got ${found}`
  // The functions' role may invoke what stands here: in a policy these would stand for other models as well.
  const config = providers.find(([id]) => id === parts.provider)?.[1]
  if ((field(config, 'like') ?? parts.provider) === 'bedrock' && /[*?$]/.test(parts.model))
    return `expected the full ID of one model, got ${found}`
  const known = providers.map(([id]) => id)
  // Its own entry has been checked, and one report of a missing base URL is enough.
  if (known.includes(parts.provider)) return null
  if (findProvider(parts.provider) === undefined) {
    const hint = didYouMean(parts.provider, [...known, ...PROVIDER_IDS])
    return hint === ''
      ? `unknown provider "${parts.provider}"; add a custom provider with its baseUrl to providers`
      : `unknown provider "${parts.provider}".${hint}`
  }
  const problem = missingBaseUrl(parts.provider)
  return problem === null ? null : `providers["${parts.provider}"] ${problem}`
}

function checkTimeoutNames(path: Path, owner: unknown): ConfigProblem[] {
  const older = field(owner, 'firstEventTimeoutMs')
  if (older === undefined || field(owner, 'firstOutputTimeoutMs') === undefined) return []
  const message = 'use firstOutputTimeoutMs alone; firstEventTimeoutMs is its older name'
  return [{ path: [...path, 'firstEventTimeoutMs'], message }]
}
