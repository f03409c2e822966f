import type * as z from 'zod/mini'
import { clientSchema } from '../schema/clients-schema.ts'
import { didYouMean } from '../closest-name.ts'
import type { ConfigProblem } from '../config-error.ts'
import { showValue } from '../config-error.ts'
import {
  endpointConfigSchema,
  gatewayConfigSchema,
  modelConfigSchema,
  providerConfigSchema,
  settingsSchema,
} from '../schema/config-schema.ts'
import { deploySchema } from '../schema/deploy-schema.ts'
import { crossCheck } from './cross-check.ts'
import { providerKeyVariable } from '../../core/provider-key-variable.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Everything that is wrong with a configuration, in the order of its text: the shape, then what spans places. */
export function findProblems(config: unknown): readonly ConfigProblem[] {
  const { error } = gatewayConfigSchema.safeParse(config)
  const shape = (error?.issues ?? []).flatMap(issue => toProblems(issue, [], config))
  const seen = new Set(shape.map(({ path }) => path.join('\0')))
  return [...shape, ...crossCheck(config).filter(({ path }) => !seen.has(path.join('\0')))]
}

function toProblems(issue: Issue, base: Path, config: unknown): ConfigProblem[] {
  const path = [...base, ...issue.path]
  const found = valueAt(config, path)
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(path, key))
  if (issue.code === 'invalid_union' && typeof found === 'object' && found !== null) {
    // Neither half fits, and an object was meant as the half that takes objects.
    return (issue.errors.at(-1) ?? []).flatMap(inner => toProblems(inner, path, config))
  }
  // Whatever stands in the place of `key: false` may be a key.
  if (path.at(-1) === 'key' && typeof found === 'string')
    return [{ path, message: `expected false, got a string (not shown). ${keyAdvice(path)}` }]
  // Headers may carry keys.
  if (path.includes('headers')) return [{ path, message: issue.message }]
  return [{ path, message: `${issue.message}, got ${showValue(found)}` }]
}

function unknownKey(path: Path, key: string): ConfigProblem {
  const { noun, names } = namesAt(path)
  const hint = /key|token|secret|password/i.test(key) ? ` ${keyAdvice(path)}` : didYouMean(key, names)
  return { path: [...path, key], message: `unknown ${noun}${hint === '' ? '' : `.${hint}`}` }
}

function keyAdvice([section, id]: Path): string {
  if (section === 'clients')
    return `Keys do not belong in this file: npm run keys -- client add ${String(id)} makes one.`
  const variable =
    section === 'providers' && typeof id === 'string' ? providerKeyVariable(id) : '<PROVIDER>_API_KEY'
  return `Keys do not belong in this file: set ${variable} instead.`
}

/** The names that may stand at a place of the configuration, by how deep it lies. */
function namesAt(path: Path): { noun: string; names: readonly string[] } {
  const [section] = path
  if (section === undefined) return { noun: 'section', names: Object.keys(gatewayConfigSchema.shape) }
  if (section === 'settings') return { noun: 'setting', names: Object.keys(settingsSchema.shape) }
  if (section === 'deploy') return { noun: 'deploy option', names: Object.keys(deploySchema.shape) }
  if (section === 'clients') return { noun: 'client field', names: Object.keys(clientSchema.shape) }
  if (section === 'providers') {
    return { noun: 'provider field', names: Object.keys(providerConfigSchema.shape) }
  }
  if (path.at(-1) === 'price') return { noun: 'price field', names: ['input', 'output', 'cachedInput'] }
  return path.length === 2
    ? { noun: 'model field', names: Object.keys(modelConfigSchema.shape) }
    : { noun: 'endpoint field', names: Object.keys(endpointConfigSchema.shape) }
}

function valueAt(config: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
    config,
  )
}
