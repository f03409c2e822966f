import type { Failure } from '../../core/failures/failure.ts'
import { untilResetMs } from '../../core/failures/until-reset.ts'
import type { QuotaKey } from '../../core/item-keys.ts'
import { countsOf, totalName } from '../../core/quota/quota-counters.ts'
import type { StatedLimit } from '../../core/quota/read-limit-headers.ts'
import {
  isNews,
  isWorthCounting,
  learntBy,
  refusedBy,
  statedBy,
  toldBy,
} from '../../core/quota/quota-lessons.ts'
import { attributesOf, toldOf } from '../../core/quota/told-limit.ts'
import type { QuotaRule } from '../../core/quota/quotas.ts'
import { rowOf } from '../../providers/catalog.ts'
import type { NotedAttempt } from '../memory/note-failure.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import type { Taken } from './claim-item.ts'
import { takeBack } from './give-back.ts'
import { itemKeysAt } from './quota-rules.ts'
import type { QuotaView } from './quota-view.ts'

/** What an upstream has answered. */
export type Heard = { headers: Readonly<Record<string, string>>; failure: Failure | null }

/** How long the fleet counts together after it has last heard of a limit: as long as its window, and then some. */
const STATED_SECONDS = 2 * 86_400
const LEARNT_SECONDS = 86_400
/** One refusal may have been the only one. */
const COUNTING_SECONDS = 3_600

/** Learns limits from what upstreams state, and from what they refuse. */
export function createQuotaLearner({ clock }: MemoryTools, view: QuotaView) {
  /** Where a limit is counted: with all models of the key only where the configuration says so. */
  function placeOf({ endpoint, key }: NotedAttempt, name: QuotaRule['name'], ofKey: boolean): QuotaKey {
    const [shared, own] = itemKeysAt(endpoint, key)
    const { quotas } = endpoint
    const isOfModel = quotas?.ofModel[name] !== undefined || rowOf(endpoint).traits.limitScope === 'model'
    return ofKey || (quotas?.ofKey[name] !== undefined && !isOfModel) ? shared : own
  }

  const ruleAt = ({ endpoint, key }: NotedAttempt, at: QuotaKey, name: QuotaRule['name']): QuotaRule =>
    view
      .rulesAt(endpoint, key)
      .find(item => item.key === at)
      ?.rules.find(rule => rule.name === name) ?? { name, declared: null, resetHour: null }

  function takenOf({ claim }: NotedAttempt, at: QuotaKey, name: QuotaRule['name']): Taken | null {
    const part = claim?.parts.find(({ item }) => item === at)
    return part?.taken.find(taken => taken.name === name) ?? null
  }

  function hearStated(attempt: NotedAttempt, stated: StatedLimit): void {
    const { name } = stated
    const at = placeOf(attempt, name, false)
    const item = view.item(at)
    const counters = item.counters()
    const before = toldOf(counters, name)
    const total = takenOf(attempt, at, name)?.total ?? counters[totalName(name)] ?? 0
    const told = toldBy(stated, before, attempt.startedAt, total)
    // An older answer that comes late knows less.
    if (before !== null && before.at > told.at && before.endsAt >= told.endsAt - 1) return
    const isCounting = view.isShared(at) || (isWorthCounting(stated) && view.mayShare(at))
    if (!isCounting) return item.set(attributesOf(name, told), false)
    view.share(at, STATED_SECONDS)
    const isKnown = !isNews(told, before, ruleAt(attempt, at, name), counters, clock.now())
    if (!isKnown) item.set(attributesOf(name, told), true)
  }

  function hearRefusal(attempt: NotedAttempt, failure: Failure): void {
    const { scope } = failure
    const name = refusedBy(failure, attempt.ownFields ?? null)
    if (name === null || (scope !== 'key' && scope !== 'model')) return
    const at = placeOf(attempt, name, scope === 'key')
    const item = view.item(at)
    const { endpoint } = attempt
    const isDeclared = (endpoint.quotas?.ofKey[name] ?? endpoint.quotas?.ofModel[name]) !== undefined
    const taken = takenOf(attempt, at, name)
    const isCounted = taken !== null
    const counters = isCounted ? item.counters() : withOne(item.counters(), name)
    const learnt = learntBy(name, isDeclared, counters, clock.now())
    // What was refused was not admitted.
    if (taken && !isDeclared && name === 'requestsPerMinute') takeBack(item, [taken])
    if (learnt === null) return
    if (!view.mayShare(at)) return item.set(attributesOf(name, learnt), false)
    view.share(at, learnt.kind === 'learnt' ? LEARNT_SECONDS : COUNTING_SECONDS)
    item.set(attributesOf(name, learnt), true)
  }

  const withOne = (counters: Readonly<Record<string, number>>, name: QuotaRule['name']) => {
    const [bucket, total] = Object.keys(countsOf(name, clock.now(), 1))
    const grown = { ...counters }
    for (const attribute of [bucket, total]) if (attribute) grown[attribute] = (grown[attribute] ?? 0) + 1
    return grown
  }

  return {
    heard(attempt: NotedAttempt, { headers, failure }: Heard): void {
      const now = clock.now()
      const { traits } = rowOf(attempt.endpoint)
      const untilReset = failure && untilResetMs(failure, traits, now)
      const context = { now, requestsCountDays: traits.requestsCountDays ?? false, untilResetMs: untilReset }
      const stated = statedBy(headers, failure, context)
      for (const limit of stated) hearStated(attempt, limit)
      if (failure !== null && !stated.some(({ remaining }) => remaining === 0)) hearRefusal(attempt, failure)
    },
  }
}
