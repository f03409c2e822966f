/** One thing that is wrong with a configuration. */
export type ConfigProblem = {
  path: readonly PropertyKey[]
  /** What stands there, already fit to be shown: never a key. */
  found: string
  expected: string
}

/** Thrown for a configuration that cannot be used; the message lists every problem. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
    super([`The gateway configuration has ${count}:`, ...problems.map(describe)].join('\n'))
    this.problems = problems
  }
}

const describe = ({ path, found, expected }: ConfigProblem): string =>
  `  ${formatPath(path)}: found ${found}; ${expected}`

/** `models["gpt-4o"].tiers[0][1]`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path
    .map(part => {
      if (typeof part === 'number') return `[${part}]`
      return /^[a-z_]\w*$/i.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`
    })
    .join('')
  return text.replace(/^\./, '') || '(the whole)'
}

/** A value as a message may show it: short, and hidden where a key may have been written by mistake. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
