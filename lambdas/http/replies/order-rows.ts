import type { Plan } from '../../core/routing/plan.ts'
import type { EndpointRow } from '../../engine/memory/describe-fleet.ts'
import { rankFields } from './rank-fields.ts'

/** The rows of a chain's endpoints in the order in which they would be called, each with its reasons; the skipped ones last. */
export function orderRows(rows: readonly EndpointRow[], { candidates, skipped }: Plan) {
  const rowOf = (id: string): EndpointRow | undefined => rows.find(row => row.id === id)
  return [
    ...candidates.map(({ endpoint, tier, rank }, index) => ({
      ...rowOf(endpoint.id),
      endpoint: endpoint.name,
      tier: tier + 1,
      place: index + 1,
      rank: rankFields(rank) ?? null,
      skipped: null,
    })),
    ...skipped.map(({ endpoint, tier, reason, cause, until, param }) => ({
      ...rowOf(endpoint.id),
      endpoint: endpoint.name,
      tier: tier + 1,
      place: null,
      rank: null,
      skipped: { reason, cause, until, ...(param === undefined ? {} : { param }) },
    })),
  ]
}
