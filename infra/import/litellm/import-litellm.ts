import type { JsonObject } from '../../../lambdas/core/json.ts'
import { SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import type { Draft, DraftAlias } from '../draft.ts'
import { readKeySource } from '../providers/key-source.ts'
import { fieldAt, listOf, numberOf, statedFields, textOf, type Variables } from '../read-values.ts'
import type { Report } from '../report.ts'
import { deadlineFor, timeoutSettings, TIMEOUT_ADVICE } from '../timeouts.ts'
import { chainsOf, groupDeployments, type Choice, type Group } from './chains.ts'
import { readFallbacks } from './fallback-table.ts'
import { ownVariables } from './own-variables.ts'
import { readDeployment, type Deployment } from './read-deployment.ts'
import { noteSettings } from './setting-advice.ts'
import { isWildcard, readWildcards } from './wildcards.ts'

const CHOICES: Readonly<Record<string, Choice>> = {
  'simple-shuffle': 'shuffle',
  'latency-based-routing': 'fastest',
  'cost-based-routing': 'cheapest',
  'least-busy': 'balanced',
  'usage-based-routing': 'balanced',
  'usage-based-routing-v2': 'balanced',
}

function choiceOf(document: unknown, report: Report): Choice {
  const stated = textOf(fieldAt(document, 'router_settings', 'routing_strategy'))
  if (stated === undefined) return 'shuffle'
  const choice = Object.hasOwn(CHOICES, stated) ? CHOICES[stated] : undefined
  if (choice === undefined) {
    report.add('no_counterpart', `routing_strategy: ${stated}`, 'requests are shared as by simple-shuffle.')
  } else if (choice === 'balanced') {
    report.add(
      'different',
      `routing_strategy: ${stated}`,
      'strategy "balanced" orders by everything that is known of the replicas.',
    )
  }
  return choice ?? 'shuffle'
}

/** The configuration of a LiteLLM proxy, its includes merged. */
export function importLitellm(document: unknown, environment: Variables, report: Report): Draft {
  const variables = { ...environment, ...ownVariables(document) }
  const source = { document, variables, report }
  const entries = listOf(fieldAt(document, 'model_list'))
  const deployments = entries
    .filter(entry => !isWildcard(entry))
    .flatMap(entry => readDeployment(entry, source) ?? [])
  const { others, accounts } = readWildcards(entries.filter(isWildcard), source)
  const defaultAlias = defaultName(others, deployments)
  const choice = choiceOf(document, report)
  const groups = groupDeployments(
    [...deployments, ...others.map(found => ({ ...found, group: defaultAlias ?? found.group }))],
    choice,
    report,
  )
  const names = secondNames(document, report)
  const aliases = chainsOf(
    groups,
    { aliases: names, accounts },
    readFallbacks(document, report),
    choice,
    report,
  )
  noteSettings(document, report)
  const isDirect =
    entries.some(entry => isWildcard(entry)) && others.length < entries.filter(isWildcard).length
  return {
    aliases,
    accounts: [...accounts.values()],
    defaultAlias,
    settings: { ...settingsOf(document, aliases, groups, report), ...(isDirect && { direct_models: true }) },
    clientKey: clientKeyOf(document),
  }
}

/** The alias of what answers unknown names: a free name, its model's if possible. */
function defaultName([first]: readonly Deployment[], deployments: readonly Deployment[]): string | null {
  if (first === undefined) return null
  const taken = new Set(deployments.map(({ group }) => group))
  const { model } = first.endpoint
  return [model, 'default', `default ${model}`].find(name => !taken.has(name)) ?? null
}

function secondNames(document: unknown, report: Report): ReadonlyMap<string, string> {
  const stated = statedFields(fieldAt(document, 'router_settings', 'model_group_alias'))
  return new Map(
    stated.flatMap(([name, value]) => {
      const target = textOf(value) ?? textOf(fieldAt(value, 'model'))
      const isFit =
        target !== undefined && name !== '__proto__' && name.trim() === name && !/[*\p{Cc}]/u.test(name)
      if (!isFit) report.add('left_out', name, 'as another name for a model it cannot be written.')
      return isFit ? [[name, target] as const] : []
    }),
  )
}

function clientKeyOf(document: unknown): Draft['clientKey'] {
  const key = readKeySource(fieldAt(document, 'general_settings', 'master_key'))
  return key.kind === 'default' || key.kind === 'none' ? null : key
}

function settingsOf(
  document: unknown,
  aliases: readonly DraftAlias[],
  groups: readonly Group[],
  report: Report,
): JsonObject {
  const stated = ['stream_timeout', 'timeout', 'request_timeout', 'num_retries'].flatMap(name =>
    ['router_settings', 'litellm_settings'].flatMap(section => {
      const value = numberOf(fieldAt(document, section, name))
      return value === undefined ? [] : [{ name, title: `${section}.${name}`, value }]
    }),
  )
  const timeout = stated.find(({ name, value }) => name !== 'num_retries' && value > 0)
  if (timeout) report.add('different', timeout.title, TIMEOUT_ADVICE)
  const endpoints = groups.flatMap(({ tiers }) => tiers.flat())
  const firstOutputs = endpoints.flatMap(({ fields }) => numberOf(fields['firstOutputTimeoutMs']) ?? [])
  const timeouts = timeout ? timeoutSettings(timeout.value * 1_000) : {}
  const wholeGateway = numberOf(timeouts['first_output_timeout_ms'])
  return {
    ...attemptsFor(stated.find(({ name }) => name === 'num_retries')?.value, aliases, report),
    ...timeouts,
    ...deadlineFor([...firstOutputs, ...(wholeGateway === undefined ? [] : [wholeGateway])]),
  }
}

/** LiteLLM retries a model that often and then its fallbacks; here all calls of a request count together. */
function attemptsFor(
  retries: number | undefined,
  aliases: readonly DraftAlias[],
  report: Report,
): JsonObject {
  if (retries === undefined || retries < 0) return {}
  const { min, max, default: usual } = SETTINGS.retry_max_attempts
  const fallbacks = Math.max(0, ...aliases.map(({ tiers }) => tiers.length - 1))
  const attempts = Math.min(Math.max(Math.floor(retries) + 1 + fallbacks, min), max)
  report.add(
    'different',
    'num_retries',
    `retry_max_attempts (${attempts}) counts all calls of a request, those to fallbacks included.`,
  )
  return attempts === usual ? {} : { retry_max_attempts: attempts }
}
