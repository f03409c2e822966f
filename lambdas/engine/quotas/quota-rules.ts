import type { Endpoint } from '../../core/endpoint.ts'
import { quotaKey, type QuotaKey } from '../../core/item-keys.ts'
import { toldOf } from '../../core/quota/told-limit.ts'
import {
  QUOTA_NAMES,
  type DeclaredQuotas,
  type QuotaCounters,
  type QuotaRule,
} from '../../core/quota/quotas.ts'
import { rowOf } from '../../providers/catalog.ts'

/** The limits that are counted in one item. */
export type ItemRules = { key: QuotaKey; rules: readonly QuotaRule[] }

/** The items that may limit an endpoint with one key: of all models of the key, and of this one. */
export const itemKeysAt = (endpoint: Endpoint, key: string | null): readonly [QuotaKey, QuotaKey] => [
  quotaKey(endpoint.provider, key, null),
  quotaKey(endpoint.provider, key, endpoint.id),
]

function rulesOf(
  declared: DeclaredQuotas,
  counters: QuotaCounters,
  resetHour: number | null,
): readonly QuotaRule[] {
  return QUOTA_NAMES.flatMap(name => {
    const limit = declared[name] ?? null
    return limit === null && toldOf(counters, name) === null ? [] : [{ name, declared: limit, resetHour }]
  })
}

const NOTHING_KNOWN: readonly ItemRules[] = []

function isEmpty(counters: QuotaCounters): boolean {
  for (const _ in counters) return false
  return true
}

/** Every limit that is known of an endpoint with one key: declared, or told by what the items hold. */
export function rulesAt(
  endpoint: Endpoint,
  key: string | null,
  countersOf: (key: QuotaKey) => QuotaCounters,
): readonly ItemRules[] {
  const [shared, own] = itemKeysAt(endpoint, key)
  const told = [countersOf(shared), countersOf(own)] as const
  if (!endpoint.quotas && told.every(isEmpty)) return NOTHING_KNOWN
  const resetHour = rowOf(endpoint).traits.quotaResetHour ?? null
  const { ofKey = {}, ofModel = {} } = endpoint.quotas ?? {}
  return [
    { key: shared, rules: rulesOf(ofKey, told[0], resetHour) },
    { key: own, rules: rulesOf(ofModel, told[1], resetHour) },
  ].filter(({ rules }) => rules.length > 0)
}

/** Whether the configuration itself has the fleet count there. */
export function isDeclared({ quotas }: Endpoint, scope: 'ofKey' | 'ofModel'): boolean {
  return Object.values(quotas?.[scope] ?? {}).some(limit => limit !== undefined)
}
