import { SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { Draft, DraftAlias, DraftEndpoint } from '../draft.ts'
import { fieldAt, listOf, numberOf, statedFields, textOf, type Variables } from '../read-values.ts'
import type { Report } from '../report.ts'
import { deadlineFor, TIMEOUT_ADVICE } from '../timeouts.ts'
import { noteTarget } from './target-advice.ts'
import { readTarget, type Target } from './read-target.ts'

type Tier = readonly DraftEndpoint[]
type Context = { model: string | undefined; variables: Variables; report: Report }

/** What a target takes from the one around it, unless it says otherwise. */
const INHERITED: ReadonlySet<string> = new Set([
  'retry',
  'cache',
  'request_timeout',
  'override_params',
  'custom_host',
  'provider',
  'virtual_key',
  'api_key',
])

const inherit = (outer: Target, inner: unknown): Target => ({
  ...Object.fromEntries(statedFields(outer).filter(([name]) => INHERITED.has(name))),
  ...Object.fromEntries(statedFields(inner)),
})

const modeOf = (target: unknown): string | undefined => textOf(fieldAt(target, 'strategy', 'mode'))

/** The tiers of a target: one of its own, or those of the targets in it. */
function tiersOf(target: Target, context: Context): readonly Tier[] {
  noteTarget(target, context.report)
  const inner = listOf(target['targets']).map(found => inherit(target, found))
  if (inner.length === 0) {
    const endpoint = readTarget(target, context)
    return endpoint ? [[endpoint]] : []
  }
  const chains = inner.map(found => tiersOf(found, context))
  const mode = modeOf(target)
  if (mode === 'fallback') return chains.flat()
  if (mode === 'loadbalance') return balanced(inner, chains, context.report)
  if (mode === 'conditional') {
    noteConditions(target, () => INNER_CONDITION, context.report)
    const usual = textOf(fieldAt(target, 'strategy', 'default'))
    const chain = chains[inner.findIndex(({ name }) => usual !== undefined && textOf(name) === usual)] ?? []
    if (inner.length > 1)
      context.report.add('no_counterpart', 'further targets of a conditional inside', INNER_CONDITION)
    if (chain.length > 0) return chain
  } else if (inner.length > 1) {
    context.report.add(
      'no_counterpart',
      'further targets of a single strategy',
      'the first one alone is used.',
    )
  }
  return chains.find(chain => chain.length > 0) ?? []
}

const INNER_CONDITION =
  'nothing in a request chooses its chain but model: inside of another strategy the default target alone is written. ' +
  'Make a config of each target, and import it under a name of its own.'

function noteConditions(target: Target, advise: (then: string) => string, report: Report): void {
  for (const condition of listOf(fieldAt(target, 'strategy', 'conditions'))) {
    const query = JSON.stringify(fieldAt(condition, 'query') ?? {})
    report.add('no_counterpart', `the condition ${query}`, advise(textOf(fieldAt(condition, 'then')) ?? ''))
  }
}

/** One tier of all targets, each with its share; what a target falls back to by itself comes after it. */
function balanced(
  targets: readonly Target[],
  chains: readonly (readonly Tier[])[],
  report: Report,
): readonly Tier[] {
  const first = chains.flatMap(([tier = []], index) => {
    const share = Math.min(Math.max(numberOf(targets[index]?.['weight']) ?? 1, 0), 1_000)
    const inside = tier.map(({ fields }) => numberOf(fields['weight']) ?? 1)
    const whole = inside.reduce((sum, weight) => sum + weight, 0) || 1
    return tier.map((endpoint, place) => ({
      ...endpoint,
      fields: { ...endpoint.fields, weight: Number(((share * (inside[place] ?? 1)) / whole).toFixed(4)) },
    }))
  })
  const later = chains.flatMap(([, ...rest]) => rest)
  if (later.length > 0) {
    report.add(
      'different',
      'a fallback inside of loadbalance',
      'its further targets are tiers behind all balanced ones.',
    )
  }
  return first.length === 0 ? later : [first, ...later]
}

/** A config of Portkey's. @param context.model the name that clients send, and the model of targets that name none. */
export function importPortkey(document: unknown, context: Context): Draft {
  const inner = fieldAt(document, 'config')
  const config = Object.fromEntries(statedFields(inner === undefined ? document : inner))
  const aliases = modeOf(config) === 'conditional' ? conditional(config, context) : single(config, context)
  return {
    aliases,
    accounts: [],
    defaultAlias: null,
    settings: settingsOf(config, aliases, context.report),
    clientKey: null,
  }
}

function single(config: Target, context: Context): readonly DraftAlias[] {
  const tiers = tiersOf(config, context)
  const name = context.model ?? tiers[0]?.[0]?.model
  return name === undefined ? [] : [{ name, fields: {}, tiers }]
}

/** Each named target is an alias, because clients choose; the default is the one that they ask for today. */
function conditional(config: Target, context: Context): readonly DraftAlias[] {
  noteTarget(config, context.report)
  const usual = textOf(fieldAt(config, 'strategy', 'default'))
  const advise = (then: string): string =>
    `nothing in a request chooses its chain but model: where it holds, let clients send "${then}".`
  noteConditions(config, advise, context.report)
  const named = listOf(config['targets']).flatMap((target): DraftAlias[] => {
    const inherited = inherit(config, target)
    const tiers = tiersOf(inherited, context)
    const name = textOf(inherited['name']) ?? tiers[0]?.[0]?.model
    return name === undefined || tiers.length === 0 ? [] : [{ name, fields: {}, tiers }]
  })
  const first = named.find(({ name }) => name === usual) ?? named[0]
  const isAsked = context.model !== undefined && !named.some(({ name }) => name === context.model)
  return first && isAsked && context.model !== undefined
    ? [{ name: context.model, fields: {}, tiers: [{ alias: first.name }] }, ...named]
    : named
}

/** Portkey retries each target that often; here all calls of a request count together. */
function settingsOf(config: Target, aliases: readonly DraftAlias[], report: Report): JsonObject {
  const { min, max, default: usual } = SETTINGS.retry_max_attempts
  const stated = numberOf(fieldAt(config, 'retry', 'attempts'))
  const fallbacks = Math.max(0, ...aliases.map(({ tiers }) => tiers.length - 1))
  const attempts = Math.min(Math.max(Math.floor(stated ?? 0) + 1 + fallbacks, min), max)
  if (stated !== undefined) {
    report.add(
      'different',
      'retry.attempts',
      `retry_max_attempts (${attempts}) counts all calls of a request, those to fallbacks included.`,
    )
  }
  const endpoints = aliases.flatMap(({ tiers }) => tiers.flatMap(tier => ('alias' in tier ? [] : tier)))
  const firstOutputs = endpoints.flatMap(({ fields }) => numberOf(fields['firstOutputTimeoutMs']) ?? [])
  if (firstOutputs.length > 0) report.add('different', 'request_timeout', TIMEOUT_ADVICE)
  return {
    ...(stated !== undefined && attempts !== usual && { retry_max_attempts: attempts }),
    ...deadlineFor(firstOutputs),
  }
}
