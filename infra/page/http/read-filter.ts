import type { RequestFilter } from '../page-contract.ts'

const OUTCOMES = [
  'answered',
  'fallback',
  'failed',
  'cut',
  'client-left',
] as const satisfies readonly RequestFilter['outcome'][]

/** Reads `?model=&caller=&outcome=&before=`; what is empty or unknown narrows nothing. */
export function readFilter(search: URLSearchParams): { filter: RequestFilter; before?: number } {
  const [model, caller] = [search.get('model'), search.get('caller')]
  const outcome = OUTCOMES.find(known => known === search.get('outcome'))
  const before = Number(search.get('before') ?? '')
  return {
    filter: { ...(model && { model }), ...(caller && { caller }), ...(outcome && { outcome }) },
    ...(before > 0 && { before }),
  }
}
