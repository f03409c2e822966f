/** Values of the metrics of an expression in one period; null = no data came. */
type Values = Readonly<Record<string, number | null>>

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(>=|<=|==|!=|[-+*/(),<>]))/y

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (!found) throw new Error(`Metric math that this test does not know: ${text}`)
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '')
  }
  return tokens
}

const asNumber = (isTrue: boolean): number => (isTrue ? 1 : 0)

type Operation = (one: number, other: number) => number
/** The loosest first, as CloudWatch binds them. */
const LEVELS: Readonly<Record<string, Operation>>[] = [
  { OR: (one, other) => asNumber(one !== 0 || other !== 0) },
  { AND: (one, other) => asNumber(one !== 0 && other !== 0) },
  {
    '>=': (one, other) => asNumber(one >= other),
    '<=': (one, other) => asNumber(one <= other),
    '>': (one, other) => asNumber(one > other),
    '<': (one, other) => asNumber(one < other),
    '==': (one, other) => asNumber(one === other),
    '!=': (one, other) => asNumber(one !== other),
  },
  { '+': (one, other) => one + other, '-': (one, other) => one - other },
  { '*': (one, other) => one * other, '/': (one, other) => one / other },
]

/**
 * One period of a CloudWatch metric math expression: arithmetic, comparisons, AND, OR, `IF` and `FILL(metric, number)`.
 * Null where a metric without data is not filled, or where it divides by nothing.
 */
export function evaluateExpression(text: string, values: Values): number | null {
  const tokens = tokensOf(text)
  let at = 0
  const take = (expected?: string): string => {
    const token = tokens[at]
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new Error(`Expected ${expected ?? 'more'} in ${text}, got ${token ?? 'the end'}.`)
    at += 1
    return token
  }
  const args = (): (number | null)[] => {
    take('(')
    const list = [level(0)]
    while (tokens[at] === ',') {
      take(',')
      list.push(level(0))
    }
    take(')')
    return list
  }
  const called = (name: string): number | null => {
    const [first = null, second = null, third = null] = args()
    if (name === 'FILL') return first ?? second
    if (name === 'IF') return first === null ? null : first === 0 ? third : second
    throw new Error(`A function that this test does not know: ${name}`)
  }
  function primary(): number | null {
    if (tokens[at] === '(') {
      take('(')
      const inner = level(0)
      take(')')
      return inner
    }
    const token = take()
    if (/^\d/.test(token)) return Number(token)
    if (tokens[at] === '(') return called(token)
    if (!(token in values)) throw new Error(`${text} uses ${token}, which the alarm does not define.`)
    return values[token] ?? null
  }
  function level(depth: number): number | null {
    const operations = LEVELS[depth]
    if (!operations) return primary()
    let left = level(depth + 1)
    for (let token = tokens[at]; token !== undefined && token in operations; token = tokens[at]) {
      take()
      const right = level(depth + 1)
      left = left === null || right === null ? null : (operations[token]?.(left, right) ?? null)
    }
    return left
  }
  const result = level(0)
  if (at < tokens.length) throw new Error(`More than one expression: ${text}`)
  return result !== null && Number.isFinite(result) ? result : null
}
