import { statedFields, listOf, textOf, fieldAt, textsOf } from '../read-values.ts'

/** Which models answer where another one cannot. */
export type FallbackTable = {
  /** Whether it says anything of this model by its name. */
  names(model: string): boolean
  /** After any failure. */
  general(model: string): readonly string[]
  /** After a prompt that was too long. */
  ofContext(model: string): readonly string[]
}

/** A fallback is a name, or an object with fields of the request beside it. */
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(item => textOf(item) ?? textOf(fieldAt(item, 'model')) ?? [])
    : textsOf(value)

/** `fallbacks: [{ a: [b, c] }]`, in either place where LiteLLM reads them; `*` and `default_fallbacks` are for all others. */
export function readFallbacks(document: unknown): FallbackTable {
  const sections = ['router_settings', 'litellm_settings'].map(name => fieldAt(document, name))
  const tableOf = (name: string): ReadonlyMap<string, readonly string[]> =>
    new Map(
      sections.flatMap(section =>
        listOf(fieldAt(section, name)).flatMap(entry =>
          statedFields(entry).map(([model, targets]) => [model, namesIn(targets)] as const),
        ),
      ),
    )
  const [general, context] = [tableOf('fallbacks'), tableOf('context_window_fallbacks')]
  const others = [
    ...sections.flatMap(section => namesIn(fieldAt(section, 'default_fallbacks'))),
    ...(general.get('*') ?? []),
  ]
  return {
    names: model => general.has(model) || context.has(model),
    general: model => general.get(model) ?? others,
    ofContext: model => context.get(model) ?? [],
  }
}
