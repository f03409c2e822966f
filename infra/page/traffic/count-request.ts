import type { RequestRow } from '../page-contract.ts'
import type { Counted } from './minute-tally.ts'

type Served = Pick<RequestRow, 'servedBy' | 'tier' | 'hops' | 'moreHops'>
type Ended = Served & Pick<RequestRow, 'model' | 'at' | 'outcome' | 'status'>

/** As in the record of use: answered by an endpoint of a later tier, or after another endpoint had failed. */
export function isFallback({ servedBy, tier, hops, moreHops }: Served): boolean {
  if (servedBy === null) return false
  return (tier ?? 1) > 1 || moreHops > 0 || hops.some(({ endpoint }) => endpoint !== servedBy)
}

/** What no endpoint could have answered: the request itself is at fault, or too large. */
const OWN_FAULTS: ReadonlySet<number | null> = new Set([400, 413])

/** What a client chose counts for nobody: one that left, and a request that is at fault itself. */
function resultOf({ outcome, status }: Pick<Ended, 'outcome' | 'status'>): Counted['result'] {
  if (outcome === 'answered') return 'answered'
  if (outcome === 'client-left' || outcome === 'rejected') return 'excluded'
  if (outcome === 'failed' && OWN_FAULTS.has(status)) return 'excluded'
  return 'unanswered'
}

/** How a request counts; null where no model was asked. */
export function countOf(row: Ended): Counted | null {
  const { model, at } = row
  return model === null ? null : { model, at, result: resultOf(row), fallback: isFallback(row) }
}
