import { PROVIDER_IDS, findProvider } from '../providers/catalog.ts'
import { baseUrlProblem } from './base-url.ts'
import { didYouMean } from './closest-name.ts'
import type { ConfigProblem } from './config-error.ts'
import { showValue } from './config-error.ts'
import { splitReference } from './endpoint-reference.ts'
import { providerKeyVariable } from '../core/provider-key-variable.ts'

type Path = readonly PropertyKey[]
type Entries = readonly (readonly [string, unknown])[]

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
  ]
}

function checkProvider(id: string, provider: unknown): ConfigProblem[] {
  const path = ['providers', id]
  const baseUrl = field(provider, 'baseUrl')
  const problems = checkTimeoutNames(path, provider)
  if (!/^[a-z0-9][\w.-]*$/i.test(id)) {
    const expected = 'expected an id of letters, digits, dots, dashes and underscores'
    problems.push({ path, found: showValue(id), expected })
  }
  if (typeof baseUrl === 'string') {
    const expected = baseUrlProblem(baseUrl)
    // A URL with a password in it is the one that must not be repeated.
    const found = baseUrl.includes('@') ? 'a URL, hidden here' : showValue(baseUrl)
    if (expected !== null) problems.push({ path: [...path, 'baseUrl'], found, expected })
  } else if (baseUrl === undefined) {
    const expected = missingBaseUrl(id)
    if (expected !== null) problems.push({ path, found: 'no baseUrl', expected })
  }
  return problems
}

/** What to write where neither the catalogue nor the configuration says where a provider lives. */
function missingBaseUrl(id: string): string | null {
  const row = findProvider(id)
  if (row === undefined) {
    return `"${id}" is not in the catalogue${didYouMean(id, PROVIDER_IDS) || ','} a host of your own needs a baseUrl`
  }
  return row.baseUrl === null ? `expected the baseUrl of your account, such as "${row.baseUrlExample}"` : null
}

/** Two providers that read one variable would be sent each other's keys. */
function checkKeyVariables(ids: readonly string[]): ConfigProblem[] {
  return ids.flatMap((id, index) => {
    const variable = providerKeyVariable(id)
    const other = ids.slice(0, index).find(earlier => providerKeyVariable(earlier) === variable)
    const expected = `expected another id, because "${other}" reads its key from ${variable} too`
    return other === undefined ? [] : [{ path: ['providers', id], found: showValue(id), expected }]
  })
}

function checkModel(alias: string, model: unknown, providers: Entries): ConfigProblem[] {
  const path = ['models', alias]
  const problems = checkTimeoutNames(path, model)
  // eslint-disable-next-line no-control-regex -- these are what must not stand in a header or a log line
  if (alias.trim() === '' || alias !== alias.trim() || /[\u0000-\u001f\u007f]/.test(alias)) {
    const expected = 'expected a name without control characters and without spaces around it'
    problems.push({ path, found: showValue(alias), expected })
  }
  const tiers = field(model, 'tiers')
  if (!Array.isArray(tiers)) return problems
  if (tiers.length === 0) {
    problems.push({ path: [...path, 'tiers'], found: '[]', expected: 'expected at least one tier' })
  }
  const seen = new Map<string, string>()
  for (const [tierIndex, tier] of tiers.entries()) {
    if (!Array.isArray(tier)) continue
    const tierPath = [...path, 'tiers', tierIndex]
    if (tier.length === 0) {
      problems.push({ path: tierPath, found: '[]', expected: 'expected at least one endpoint in a tier' })
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
  const expected =
    earlier === undefined
      ? referenceProblem(reference, providers)
      : `expected each endpoint once, and this one stands in ${earlier} already`
  return expected === null ? timeoutNames : [...timeoutNames, { path, found: showValue(reference), expected }]
}

function referenceProblem(reference: string, providers: Entries): string | null {
  const parts = splitReference(reference)
  if (parts === null) return 'expected "<provider>/<upstream model>", such as "openai/gpt-4o"'
  if (/\s/.test(reference)) return 'expected a reference without spaces'
  // The functions' role may invoke what stands here: in a policy these would stand for other models as well.
  if (parts.provider === 'bedrock' && /[*?$]/.test(parts.model)) return 'expected the whole id of one model'
  const known = providers.map(([id]) => id)
  // Its own entry has been checked, and one report of a missing base URL is enough.
  if (known.includes(parts.provider)) return null
  if (findProvider(parts.provider) === undefined) {
    const hint = didYouMean(parts.provider, [...known, ...PROVIDER_IDS])
    return `unknown provider "${parts.provider}"${hint || '; a host of your own needs an entry in providers with its baseUrl'}`
  }
  const problem = missingBaseUrl(parts.provider)
  return problem === null ? null : `${problem}, in providers["${parts.provider}"]`
}

function checkTimeoutNames(path: Path, owner: unknown): ConfigProblem[] {
  const older = field(owner, 'firstEventTimeoutMs')
  if (older === undefined || field(owner, 'firstOutputTimeoutMs') === undefined) return []
  const expected = 'expected firstOutputTimeoutMs alone, of which this is the older name'
  return [{ path: [...path, 'firstEventTimeoutMs'], found: showValue(older), expected }]
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const field = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const entriesOf = (value: unknown): Entries => (isObject(value) ? Object.entries(value) : [])
