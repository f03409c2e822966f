import { entriesOf, field, type Entries } from '../../lambdas/config/checks/read-loosely.ts'

/** The variables that stand in for values: the environment, and what the file adds to it. */
export type Variables = Readonly<Record<string, string | undefined>>

/** `os.environ/NAME`, and what templates write: `${NAME}`, `$NAME`, `env.NAME`. */
const VARIABLE = /^(?:os\.environ\/(\w+)|\$\{(\w+)(?::?-[^}]*)?\}|\$(\w+)|env[.:](\w+))$/

/** The name of the variable that a text stands for; null where it is the value itself. */
export function variableIn(text: string): string | null {
  const found = VARIABLE.exec(text.trim())
  return found?.slice(1).find(name => name !== undefined) ?? null
}

/** A text or a number as text; undefined for anything else and for an empty one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** A number, also one that is written as a text; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const text = textOf(value)
  const number = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** A text with its variable filled in: its value, or the name of a variable that is not set. */
export function resolveText(
  value: unknown,
  variables: Variables,
): { text: string } | { unset: string } | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  const name = variableIn(text)
  if (name === null) return { text }
  const set = textOf(variables[name])
  return set === undefined ? { unset: name } : { text: set }
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The texts of a list, or of a single text in its place. */
export const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap(item => textOf(item) ?? [])

/** The fields of an object, those that are null left out, as they say nothing. */
export const statedFields = (value: unknown): Entries =>
  entriesOf(value).filter(([, content]) => content !== null && content !== undefined)

/** A field that lies deeper: `fieldAt(value, 'a', 'b')`. */
export const fieldAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(field, value)
