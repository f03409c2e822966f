import { dimensionValue, LONGEST_DIMENSION_VALUE as LONGEST } from '../contract.ts'

type Walk = {
  alias: string
  attempts: readonly { endpoint: string; outcome: string }[]
  /** Null where nothing answered. */
  servedBy: string | null
}

const LONGEST_ALIAS = 60
const LONGEST_NAME = 85

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}~` : text

function written(alias: string, path: readonly string[]): string {
  const [first = '', ...rest] = path
  const last = rest.pop() ?? ''
  const between = rest.length > 0 ? ` > +${rest.length}` : ''
  return `${alias}: ${first}${between} > ${last}`
}

/**
 * The path of a request that fell back, as `gpt-4o: openai/gpt-4o > +1 > groq/llama-3.1-8b-instant`: the first
 * endpoint, how many were asked between, and the one that answered or `none`. A configuration so bounds the number
 * of values for its whole fleet. Null where only one endpoint was asked.
 */
export function fallbackChain({ alias, attempts, servedBy }: Walk): string | null {
  // What was called beside another one is none that was fallen back from, or to.
  const inTurn = attempts.filter(({ outcome }) => outcome !== 'hedged')
  const asked = [...new Set(inTurn.map(({ endpoint }) => dimensionValue(endpoint)))]
  if (asked.length < 2) return null
  // A client that left before an answer came saw neither an answer nor the end of the chain.
  const hasLeft = attempts.at(-1)?.outcome === 'client_left'
  const path = servedBy !== null || hasLeft ? asked : [...asked, 'none']
  const whole = written(dimensionValue(alias), path)
  if (whole.length <= LONGEST) return whole
  const short = path.map(name => cut(name, LONGEST_NAME))
  return written(cut(dimensionValue(alias), LONGEST_ALIAS), short)
}
