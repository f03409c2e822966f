import type { QuotaKey } from '../../core/item-keys.ts'
import { expiredNames } from '../../core/quota/quota-counters.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Claimant } from './claim-item.ts'
import type { QuotaItem } from './quota-items.ts'

type Spending = { own: Record<string, number>; ownThen: Record<string, number>; timesTold: number }

const MOST_ITEMS = 2_000

/** What this instance itself has taken, by item: its part of what all take. */
export function createOwnSpending(clock: Pick<Clock, 'now'>) {
  const spendings = new Map<QuotaKey, Spending>()

  function at({ key, timesTold }: QuotaItem): Spending {
    const kept = spendings.get(key) ?? { own: {}, ownThen: {}, timesTold }
    // Those used last stay longest.
    spendings.delete(key)
    spendings.set(key, kept)
    const [oldest] = spendings.keys()
    if (oldest !== undefined && spendings.size > MOST_ITEMS) spendings.delete(oldest)
    if (kept.timesTold !== timesTold) {
      kept.timesTold = timesTold
      kept.ownThen = { ...kept.own }
    }
    return kept
  }

  return {
    of(item: QuotaItem): Omit<Claimant, 'costs'> {
      const { own, ownThen } = at(item)
      return {
        own,
        ownThen,
        remember(delta) {
          for (const name of expiredNames(own, clock.now())) delete own[name]
          for (const [name, count] of Object.entries(delta)) own[name] = (own[name] ?? 0) + count
        },
      }
    },
  }
}
