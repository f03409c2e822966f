import { dimensionValue, LONGEST_DIMENSION_VALUE as LONGEST } from '../contract.ts'

type Walk = {
  alias: string
  /** The first endpoint of the alias's chain, called or not. */
  first: string
  attempts: readonly { endpoint: string; outcome: string }[]
  /** Null where nothing answered. */
  servedBy: string | null
}

const LONGEST_ALIAS = 60
const LONGEST_NAME = 85

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}~` : text

/** Whether more than one endpoint was called in turn: what was called beside another one is no fallback. */
export const hasFallenBack = (attempts: Walk['attempts']): boolean =>
  new Set(attempts.filter(({ outcome }) => outcome !== 'hedged').map(({ endpoint }) => endpoint)).size > 1

/**
 * Where a request that fell back ended, as `gpt-4o: openai/gpt-4o > groq/llama-3.1-8b-instant`: the first endpoint of
 * its chain, and the one that answered or `none`. A chain of n endpoints has at most n such values. Null where there was
 * no fallback, where it led back to the first endpoint, and where the client left before it ended.
 */
export function fallbackChain({ alias, first, attempts, servedBy }: Walk): string | null {
  if (!hasFallenBack(attempts) || servedBy === first) return null
  // A client that left before an answer came saw neither an answer nor the end of the chain.
  if (servedBy === null && attempts.at(-1)?.outcome === 'client_left') return null
  const [name, from, to] = [alias, first, servedBy ?? 'none'].map(dimensionValue)
  const whole = `${name}: ${from} > ${to}`
  if (whole.length <= LONGEST) return whole
  return `${cut(name ?? '', LONGEST_ALIAS)}: ${cut(from ?? '', LONGEST_NAME)} > ${cut(to ?? '', LONGEST_NAME)}`
}
