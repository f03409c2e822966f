import {
  CLOSED,
  boundedBreaker,
  breakerAfter,
  type Breaker,
  type BreakerEvent,
} from '../../core/health/breaker.ts'
import { benchScope, providerScope, type BreakerScope } from '../../core/health/breaker-scope.ts'
import { longestBar } from '../../core/health/limit.ts'
import { breakerKey } from '../../core/item-keys.ts'
import type { BreakerItem } from '../../store/state-item.ts'
import { changeItem, foreseeItem, itemAt, type Decision } from './change-item.ts'
import type { StateItems } from './fleet-view.ts'
import type { MemoryTools } from './memory-tools.ts'

const DAY_MS = 86_400_000

/** A breaker as it is known, within the bounds of what its kind allows. */
export function breakerOf(items: StateItems, scope: BreakerScope, now: number): Breaker {
  const item = itemAt(items, 'breaker', breakerKey(scope))
  return item ? boundedBreaker(item.breaker, longestBar(scope), now) : CLOSED
}

/** The ladder is remembered for a day after the last opening. */
function expiryOf(breaker: Breaker, failuresUntil: number, now: number): number {
  if (breaker.state === 'closed') return Math.ceil(failuresUntil / 1_000)
  const ends = Math.max(now, breaker.guess?.until ?? 0, breaker.stated?.until ?? 0)
  return Math.ceil((ends + (breaker.guess ? DAY_MS : 0)) / 1_000)
}

type Extra = {
  /** Leaves the mark that a provider's window holds failures for so long; milliseconds. */
  markMs?: number
  causes?: readonly string[]
}

function decideOn(
  item: BreakerItem | null,
  scope: BreakerScope,
  event: BreakerEvent | null,
  { markMs = 0, causes = [] }: Extra,
  now: number,
): Decision<'breaker'> {
  const before = item ? boundedBreaker(item.breaker, longestBar(scope), now) : CLOSED
  const breaker = event ? breakerAfter(before, event) : before
  const marked = item?.failuresUntil ?? 0
  const isMarked = markMs === 0 || marked - now > markMs / 2
  if (breaker === before && isMarked) return 'keep'
  // With a breaker that closes, its window is emptied.
  const closes = before.state !== 'closed' && breaker.state === 'closed'
  const failuresUntil = closes ? 0 : isMarked ? marked : now + markMs
  if (breaker.state === 'closed' && failuresUntil <= now) return item ? null : 'keep'
  const opens = before.state === 'closed' && breaker.state !== 'closed'
  return {
    breaker,
    failuresUntil: failuresUntil > now ? failuresUntil : 0,
    causes: breaker.state === 'closed' ? [] : opens ? causes : (item?.causes ?? []),
    expiresAt: expiryOf(breaker, failuresUntil, now),
  }
}

/**
 * A provider's breaker that closes takes the benches of its endpoints with it, and what counts towards the next ones:
 * they were its provider's trouble.
 */
async function liftBenches(tools: MemoryTools, provider: string): Promise<void> {
  const own = tools.endpoints.filter(endpoint => endpoint.provider === provider)
  const items = tools.view.known()
  const benched = own.filter(({ id }) => itemAt(items, 'breaker', breakerKey(benchScope(id))))
  await Promise.all([
    tools.stats.resetProvider(provider),
    ...benched.map(({ id }) => tools.stats.resetBench(id)),
    ...benched.map(({ id }) => changeBreaker(tools, benchScope(id), { kind: 'forgotten' })),
  ])
}

function report(
  { log }: MemoryTools,
  scope: BreakerScope,
  from: Breaker,
  to: Breaker,
  event: BreakerEvent,
): void {
  if (scope.startsWith('provider#')) {
    const provider = scope.slice('provider#'.length)
    if (from.state !== to.state) {
      log({ event: 'breaker-transition', provider, from: from.state, to: to.state, because: event.kind })
    }
    return
  }
  const until = to.state === 'closed' ? 0 : Math.max(to.stated?.until ?? 0, to.guess?.until ?? 0)
  const isLonger =
    from.state === 'closed' || until > Math.max(from.stated?.until ?? 0, from.guess?.until ?? 0)
  const kind = to.state === 'closed' ? null : (to.stated?.kind ?? to.guess?.kind ?? null)
  if (kind && isLonger) log({ event: 'cooldown', scope, kind, until })
}

/**
 * Applies one event to a breaker: at once for this instance, then in the table. Logs what it changes. Rejects with
 * `StoreError` where the table cannot be written; this instance obeys what it saw all the same.
 */
export async function changeBreaker(
  tools: MemoryTools,
  scope: BreakerScope,
  event: BreakerEvent | null,
  extra: Extra = {},
): Promise<void> {
  const key = breakerKey(scope)
  const { clock } = tools
  const decide = (item: BreakerItem | null): Decision<'breaker'> =>
    decideOn(item, scope, event, extra, clock.now())
  foreseeItem(tools, 'breaker', key, decide)
  const change = await changeItem(tools, 'breaker', key, decide)
  if (!change || !event) return
  const [from, to] = [change.before?.breaker ?? CLOSED, change.after?.breaker ?? CLOSED]
  report(tools, scope, from, to, event)
  if (from.state !== 'closed' && to.state === 'closed' && scope.startsWith('provider#')) {
    await liftBenches(tools, scope.slice('provider#'.length))
  }
}

/** Whether a provider's breaker lets traffic flow. */
export const isProviderClosed = ({ view, clock }: MemoryTools, provider: string): boolean =>
  breakerOf(view.known(), providerScope(provider), clock.now()).state === 'closed'
