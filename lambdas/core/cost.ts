import type { Usage } from './answers/usage.ts'
import type { Price } from './endpoint.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { readDollars, readUsage } from './answers/usage.ts'

const MILLION = 1e6
/** A ten-billionth of a dollar: far below what any token costs, and above what floating point adds. */
const DECIMALS = 10

/** Sums and products of prices without the tail that floating point leaves: 0.00042, not 0.00041999999999999996. */
export const roundDollars = (dollars: number): number => Number(dollars.toFixed(DECIMALS))

/** What tokens cost by a price; what the cache gave costs less where the price says so. */
export function dollarsFor(
  { promptTokens, completionTokens, cachedTokens = 0 }: Omit<Usage, 'totalTokens' | 'dollars'>,
  { input, output, cachedInput = input }: Price,
): number {
  const fresh = promptTokens - cachedTokens
  return roundDollars((fresh * input + cachedTokens * cachedInput + completionTokens * output) / MILLION)
}

/** What an answer cost in dollars: by its upstream's own figure, else by the price; null where neither is known. */
export function dollarsOf(usage: Usage | null, price: Price | null): number | null {
  if (usage?.dollars !== undefined) return usage.dollars
  return usage && price && dollarsFor(usage, price)
}

/**
 * The same chunk or answer with `usage.cost` in dollars where its price is known and its upstream tells none. What is
 * no amount, such as -1 or a text, is told to nobody: clients add it up.
 */
export function withCost(answer: JsonObject, price: Price | null): JsonObject {
  const { usage } = answer
  if (!isJsonObject(usage) || readDollars(usage.cost) !== undefined) return answer
  const read = price && readUsage(usage)
  if (read) return { ...answer, usage: { ...usage, cost: dollarsFor(read, price) } }
  if (usage.cost === undefined || usage.cost === null) return answer
  const { cost: _, ...known } = usage
  return { ...answer, usage: known }
}
