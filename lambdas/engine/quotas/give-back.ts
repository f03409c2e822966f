import { deltaOf, type Taken } from './claim-item.ts'
import type { QuotaItem } from './quota-items.ts'

const isTokens = ({ name }: Taken): boolean => name === 'tokensPerMinute' || name === 'tokensPerDay'

/** Takes what was taken out of the counters again: from the table only what is in it. */
export function takeBack(item: QuotaItem, taken: readonly Taken[]): void {
  const counted = taken.filter(({ receipt }) => !receipt.isLost)
  for (const part of taken) if (part.receipt.isLost) item.forget(part.receipt, deltaOf([part]))
  if (counted.length > 0) item.add(deltaOf(counted, -1))
}

/**
 * Puts what a request has used in the place of what it has taken: its lease ends, and its tokens become the real ones.
 * @param tokens null = nobody knows: what was taken stays.
 * @returns whether others may wait for what is free now.
 */
export function settleTaken(item: QuotaItem, taken: readonly Taken[], tokens: number | null): boolean {
  const leases = taken.filter(({ name }) => name === 'concurrency')
  const reserved = taken.filter(part => isTokens(part) && (tokens !== null || part.receipt.isLost))
  const back = [...leases, ...reserved]
  takeBack(item, back)
  if (reserved.length > 0) item.add(deltaOf(reserved.map(part => ({ ...part, cost: tokens ?? part.cost }))))
  return back.some(({ name, isScarce }) => isScarce || name === 'concurrency')
}

/** Runs at once where it is known what of it is in the table; otherwise as soon as that is. */
export function whenWritten(
  taken: readonly Taken[],
  start: (work: () => Promise<unknown>) => void,
  change: () => void,
): void {
  const writing = taken.flatMap(({ receipt }) => receipt.writing ?? [])
  if (writing.length === 0) return change()
  start(async () => {
    await Promise.all(writing)
    change()
  })
}
