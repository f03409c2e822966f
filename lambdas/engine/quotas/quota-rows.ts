import { allowanceOf } from '../../core/quota/allowance.ts'
import type { QuotaKey } from '../../core/item-keys.ts'
import {
  keyAtEndpoint,
  type KeyAtEndpoint,
  type QuotaMark,
  type QuotaMarks,
} from '../../core/quota/quota-mark.ts'
import type { Allowance, QuotaRule } from '../../core/quota/quotas.ts'
import { itemKeysAt } from './quota-rules.ts'
import type { QuotaView } from './quota-view.ts'

/** One limit of an endpoint with a key, as people see it. */
export type QuotaRow = {
  /** The endpoint's id. */
  endpoint: string
  key: string | null
  /** Of all models of the key, or of this endpoint alone. */
  scope: 'key' | 'endpoint'
  name: QuotaRule['name']
  limit: number
  left: number
  /** When something is left again; null = something is left now. Epoch milliseconds. */
  returns_at: number | null
}

type Limit = Pick<QuotaRow, 'name' | 'scope'> & { allowance: Allowance }

/** What is left of every limit that is known, by endpoint and key; limits that several share are reckoned once. */
function limitsOf(view: QuotaView, now: number) {
  const known = new Map<string, Allowance | null>()
  function reckon(item: QuotaKey, rule: QuotaRule): Allowance | null {
    const id = `${item} ${rule.name}`
    const before = known.get(id)
    if (before !== undefined) return before
    const allowance = allowanceOf(rule, view.item(item).counters(), now)
    known.set(id, allowance)
    return allowance
  }
  return view.limited().map(({ endpoint, key }) => ({
    endpoint,
    key,
    limits: view.rulesAt(endpoint, key).flatMap(({ key: item, rules }): Limit[] =>
      rules.flatMap(rule => {
        const allowance = reckon(item, rule)
        const scope = item === itemKeysAt(endpoint, key)[0] ? 'key' : 'endpoint'
        return allowance ? [{ name: rule.name, scope, allowance }] : []
      }),
    ),
  }))
}

const returnOf = ({ left, returnsAt }: Allowance, now: number): number | null =>
  left < 1 ? Math.max(now + 1, returnsAt) : null

/** What the plan must know: the limit that is nearest to its end, and when all that are spent are back. */
export function quotaMarks(view: QuotaView, now: number): QuotaMarks {
  const marks = new Map<KeyAtEndpoint, QuotaMark>()
  for (const { endpoint, key, limits } of limitsOf(view, now)) {
    if (limits.length === 0) continue
    const shares = limits.map(({ allowance }) => allowance.left / allowance.limit)
    const returns = limits.flatMap(({ allowance }) => returnOf(allowance, now) ?? [])
    // Somebody may give it back before its time.
    if (returns.length > 0) for (const { key: at } of view.rulesAt(endpoint, key)) view.use(at)
    marks.set(keyAtEndpoint(endpoint, key), {
      headroom: Math.min(1, Math.max(0, Math.min(...shares))),
      spentUntil: returns.length === 0 ? null : Math.max(...returns),
    })
  }
  return marks
}

export const quotaRows = (view: QuotaView, now: number): readonly QuotaRow[] =>
  limitsOf(view, now).flatMap(({ endpoint, key, limits }) =>
    limits.map(({ name, scope, allowance }) => ({
      endpoint: endpoint.id,
      key,
      scope,
      name,
      limit: allowance.limit,
      left: Math.max(0, Math.floor(allowance.left)),
      returns_at: returnOf(allowance, now),
    })),
  )
