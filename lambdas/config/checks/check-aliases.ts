import { didYouMean } from '../closest-name.ts'
import type { ConfigProblem } from '../config-error.ts'
import { entriesOf, field } from './read-loosely.ts'

type Path = readonly PropertyKey[]

/** Whether aliases that are named in a chain, or as the default, exist and lead on; and no alias stands for many names. */
export function checkAliases(config: unknown): ConfigProblem[] {
  const models = entriesOf(field(config, 'models'))
  const aliases = models.map(([alias]) => alias)
  const unknown = (path: Path, name: unknown): ConfigProblem[] =>
    typeof name !== 'string' || aliases.includes(name)
      ? []
      : [{ path, message: `unknown model ${JSON.stringify(name)}.${didYouMean(name, aliases)}` }]
  return [
    ...models.flatMap(([alias, model]) => [
      ...checkPattern(alias),
      ...namedTiers(model).flatMap(({ place, name }) => {
        const path = ['models', alias, 'tiers', place, 'alias']
        const problems = unknown(path, name)
        return problems.length > 0 ? problems : checkLink(path, alias, name, models)
      }),
    ]),
    ...unknown(['default'], field(config, 'default')),
  ]
}

function checkPattern(alias: string): ConfigProblem[] {
  if (!alias.includes('*')) return []
  const message =
    'expected the exact name of a model. To answer unknown names, set "default" to one of the models; ' +
    'to let clients send "provider/model", use the setting direct_models'
  return [{ path: ['models', alias], message }]
}

type NamedTier = { place: number; name: string }

function namedTiers(model: unknown): readonly NamedTier[] {
  const tiers = field(model, 'tiers')
  if (!Array.isArray(tiers)) return []
  return tiers.flatMap((tier: unknown, place) => {
    const name = field(tier, 'alias')
    return typeof name === 'string' ? [{ place, name }] : []
  })
}

/** A chain that leads back to itself, or from texts to vectors. */
function checkLink(
  path: Path,
  alias: string,
  name: string,
  models: readonly (readonly [string, unknown])[],
): ConfigProblem[] {
  const modelOf = (of: string): unknown => models.find(([known]) => known === of)?.[1]
  const [own, other] = [field(modelOf(alias), 'kind') ?? 'chat', field(modelOf(name), 'kind') ?? 'chat']
  if (own !== other)
    return [{ path, message: `expected a model of the kind "${String(own)}", got "${name}"` }]
  const reached = new Set<string>()
  const open = [name]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    open.push(...namedTiers(modelOf(next)).map(tier => tier.name))
  }
  return reached.has(alias) ? [{ path, message: `"${name}" leads back to "${alias}"` }] : []
}
