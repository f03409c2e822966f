import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Entries } from '../../lambdas/config/checks/read-loosely.ts'
import { CommandError, describeError } from '../terminal/command-error.ts'
import { readDotEnv } from '../terminal/read-dot-env.ts'
import { ownVariables } from './litellm/own-variables.ts'
import { TOO_DEEP } from './check-nesting.ts'
import { parseJsonConfig } from './parse-json-config.ts'
import { parseYamlConfig } from './parse-yaml-config.ts'
import { fieldAt, statedFields, textOf, textsOf, variableIn, type Variables } from './read-values.ts'
import { recogniseSource } from './recognise-source.ts'
import type { Note } from './report.ts'

export type SourceFile = {
  document: unknown
  notes: readonly Note[]
  /** The variables of a `.env` file beside it, under those of the environment. */
  variables: Variables
}

const CHART = 'values of the Helm chart; its proxy_config and masterkey alone are read.'
const DOUBLED = 'the last one counts, as in LiteLLM.'

/** A configuration in JSON or YAML, Backstop's or another gateway's, with what it includes. @throws CommandError */
export async function readSourceFile(file: string, environment: Variables): Promise<SourceFile> {
  const path = resolve(file)
  const variables = readDotEnv(dirname(path), environment)
  const text = await readFile(path, 'utf8').catch(error => {
    throw new CommandError(`Cannot read the configuration ${path}: ${describeError(error)}`)
  })
  if (/\.jsonc?$/i.test(path)) {
    return { document: named(path, 'JSON', () => parseJsonConfig(text)), notes: [], variables }
  }
  const { value } = named(path, 'YAML', () => parseYamlConfig(text, { ofLitellm: true }))
  // Backstop's own are read strictly: a name that stands twice is a slip.
  if (recogniseSource(value) !== 'litellm') {
    const { value: own } = named(path, 'YAML', () => parseYamlConfig(text, { ofLitellm: false }))
    return { document: own, notes: [], variables }
  }
  const { document, notes } = await ofLitellm(path, text)
  return { document, notes, variables: { ...variables, ...ownVariables(document) } }
}

function named<Value>(path: string, language: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    // The parsers run out of stack before the nesting can be counted.
    const problem = error instanceof RangeError ? TOO_DEEP : describeError(error)
    throw new CommandError(`The configuration ${path} cannot be read as ${language}: ${problem}`, {
      cause: error,
    })
  }
}

/** LiteLLM's file with those that it includes: their lists are added to, their other fields replace. */
async function ofLitellm(path: string, text: string): Promise<Omit<SourceFile, 'variables'>> {
  const { value, doubled } = named(path, 'YAML', () => parseYamlConfig(text, { ofLitellm: true }))
  const inner = fieldAt(value, 'proxy_config')
  const isChart = fieldAt(value, 'model_list') === undefined && inner !== undefined
  const document: Record<string, unknown> = Object.fromEntries(statedFields(isChart ? inner : value))
  const chart = isChart ? ofChart(document, value) : []
  for (const include of textsOf(document['include'])) {
    for (const [name, found] of await includedFields(resolve(dirname(path), include))) {
      document[name] = added(document[name], found)
    }
  }
  const notes = doubled.map((what): Note => ({
    kind: 'different',
    what: what.replace('Map keys must be unique', 'a name that stands twice'),
    models: [],
    advice: DOUBLED,
  }))
  return { document, notes: [...chart, ...notes] }
}

/** The Helm chart keeps the proxy's key beside its configuration, and gives it to it as PROXY_MASTER_KEY. */
function ofChart(document: Record<string, unknown>, values: unknown): readonly Note[] {
  const masterKey = fieldAt(values, 'masterkey')
  const general = Object.fromEntries(statedFields(document['general_settings']))
  const stated = textOf(general['master_key'])
  if (masterKey !== undefined && (stated === undefined || variableIn(stated) === 'PROXY_MASTER_KEY'))
    document['general_settings'] = { ...general, master_key: masterKey }
  const others = statedFields(values).flatMap(([name]) =>
    name === 'proxy_config' || name === 'masterkey' ? [] : [name],
  )
  if (others.length === 0) return []
  return [{ kind: 'no_counterpart', what: others.join(', '), models: [], advice: CHART }]
}

async function includedFields(path: string): Promise<Entries> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw new CommandError(`Cannot read ${path}, which the configuration includes: ${describeError(error)}`)
  })
  return statedFields(named(path, 'YAML', () => parseYamlConfig(text, { ofLitellm: true })).value)
}

const added = (before: unknown, found: unknown): unknown =>
  Array.isArray(before) && Array.isArray(found) ? [...before, ...found] : found
