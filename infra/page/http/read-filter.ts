import { REQUEST_OUTCOMES } from '../../request-contract.ts'
import type { RequestFilter, ShownOutcome } from '../page-contract.ts'

const OUTCOMES: readonly ShownOutcome[] = [...REQUEST_OUTCOMES, 'fallback']

/** What to send where the outcome is none. */
export const OUTCOMES_TEXT = `Narrow by outcome with one of ${OUTCOMES.join(', ')}.`

/** Reads `?model=&caller=&outcome=&before=`; what is empty narrows nothing. Null = there is no such outcome. */
export function readFilter(search: URLSearchParams): { filter: RequestFilter; before?: number } | null {
  const [model, caller, asked] = [search.get('model'), search.get('caller'), search.get('outcome')]
  const outcome = OUTCOMES.find(known => known === asked)
  if (asked && !outcome) return null
  const before = Number(search.get('before') ?? '')
  return {
    filter: { ...(model && { model }), ...(caller && { caller }), ...(outcome && { outcome }) },
    ...(before > 0 && { before }),
  }
}
