import type { Report } from '../report.ts'
import { statedFields, listOf, numberOf, textOf, fieldAt } from '../read-values.ts'

/** Which models answer where another one cannot. */
export type FallbackTable = {
  /** Those that it names by themselves. */
  models: readonly string[]
  /** Whether it says anything of this model by its name. */
  names(model: string): boolean
  /** After any failure. */
  general(model: string): readonly string[]
  /** After a prompt that was too long. */
  ofContext(model: string): readonly string[]
  /** How many fallbacks one request tries at most, those of its fallbacks included. */
  depth: number
}

/** LiteLLM's own, and what no chain needs more of. */
const [USUAL_DEPTH, LARGEST_DEPTH] = [5, 20]

const FIELDS =
  'fields of the request beside the name of a fallback are not written. Make a model of its own for it, with the fields in its body.'

const TWICE = 'the first entry counts, as in LiteLLM.'

/**
 * `fallbacks: [{ a: [b, c] }]`; `*` and `default_fallbacks` are for all others. Of two entries of a model LiteLLM reads
 * the first, of two lists that of `router_settings`.
 * @see https://docs.litellm.ai/docs/proxy/reliability
 */
export function readFallbacks(document: unknown, report: Report): FallbackTable {
  function stated(name: string): readonly unknown[] {
    const [used = [], unused] = ['router_settings', 'litellm_settings']
      .map(section => fieldAt(document, section, name))
      .map(value => (typeof value === 'string' ? [value] : listOf(value)))
      .filter(list => list.length > 0)
    if (unused)
      report.add('no_counterpart', `litellm_settings.${name}`, 'router_settings has its own, which counts.')
    return used
  }
  const namesIn = (value: unknown): readonly string[] =>
    (Array.isArray(value) ? value : [value]).flatMap(item => {
      const model = textOf(fieldAt(item, 'model'))
      if (model !== undefined && statedFields(item).length > 1)
        report.add('no_counterpart', `the fields of the fallback ${model}`, FIELDS)
      return textOf(item) ?? model ?? []
    })

  function tableOf(name: string): ReadonlyMap<string, readonly string[]> {
    const table = new Map<string, readonly string[]>()
    for (const [model, targets] of stated(name).flatMap(statedFields)) {
      const isSecond = table.has(model)
      if (isSecond) report.add('no_counterpart', `a second entry of ${name} for ${model}`, TWICE)
      else table.set(model, namesIn(targets))
    }
    return table
  }
  const [general, context] = [tableOf('fallbacks'), tableOf('context_window_fallbacks')]
  const usual = namesIn(stated('default_fallbacks'))
  const others = usual.length > 0 ? usual : (general.get('*') ?? [])
  if (usual.length > 0 && general.has('*'))
    report.add('no_counterpart', 'the fallbacks of "*"', 'default_fallbacks count, as in LiteLLM.')
  const depth = ['router_settings', 'litellm_settings']
    .map(section => numberOf(fieldAt(document, section, 'max_fallbacks')))
    .find(value => value !== undefined)
  return {
    models: [...new Set([...general.keys(), ...context.keys()])].filter(model => model !== '*'),
    names: model => general.has(model) || context.has(model),
    general: model => general.get(model) ?? others,
    ofContext: model => context.get(model) ?? context.get('*') ?? [],
    depth: Math.min(depth ?? USUAL_DEPTH, LARGEST_DEPTH),
  }
}
