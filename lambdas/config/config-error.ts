/** One thing that is wrong with a configuration. */
export type ConfigProblem = {
  path: readonly PropertyKey[]
  /** What was expected, and what is there: never a key. */
  message: string
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

const describe = ({ path, message }: ConfigProblem): string => `  ${formatPath(path)}: ${message}`

/** `models["gpt-4o"].tiers[0][1]`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path
    .map(part => {
      if (typeof part === 'number') return `[${part}]`
      return /^[a-z_]\w*$/i.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`
    })
    .join('')
  return text.replace(/^\./, '') || '(top level)'
}

/** A value as a message may show it: short. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
