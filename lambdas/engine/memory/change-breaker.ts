import { breakerKey, cooldownKey } from '../../core/item-keys.ts'
import { breakerAfter, type Breaker, type BreakerEvent } from '../../core/health/breaker.ts'
import { benchScope } from '../../core/health/cooldown-scope.ts'
import type { BreakerItem } from '../../store/state-item.ts'
import { changeItem, itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

const CLOSED: Breaker = { state: 'closed' }
const DAY_MS = 86_400_000

const stateOf = (item: BreakerItem | null): Breaker['state'] => item?.breaker.state ?? 'closed'

/**
 * The benches of a provider's endpoints are lifted when its breaker closes, with what counts towards the next one:
 * they were its provider's illness.
 */
async function liftBenches(tools: MemoryTools, provider: string): Promise<void> {
  const items = tools.view.known()
  const own = tools.endpoints.filter(endpoint => endpoint.provider === provider)
  const benched = own.filter(({ id }) => itemAt(items, 'cooldown', cooldownKey(benchScope(id))))
  await Promise.all([
    ...own.map(({ id }) => tools.stats.resetBench(id)),
    ...benched.map(({ id }) => changeItem(tools, 'cooldown', cooldownKey(benchScope(id)), () => null)),
  ])
}

/**
 * Applies one event to a provider's breaker in the table, logs where that changes its state, and returns whether it
 * did. A failure also leaves the mark that the window holds failures, so that successes are written at once.
 */
export async function changeBreaker(
  tools: MemoryTools,
  provider: string,
  event: BreakerEvent,
): Promise<Breaker | null> {
  const { clock, settings, log, stats } = tools
  const { breaker_window_ms } = settings()
  const change = await changeItem(tools, 'breaker', breakerKey(provider), item => {
    const now = clock.now()
    const before = item?.breaker ?? CLOSED
    const breaker = breakerAfter(before, event, settings())
    const marked = item?.failuresUntil ?? 0
    const isMarked = marked - now > breaker_window_ms / 2
    if (breaker === before && (event.kind !== 'failure' || isMarked)) return 'keep'
    if (breaker.state === 'closed' && event.kind !== 'failure') return null
    const failuresUntil = event.kind === 'failure' ? now + breaker_window_ms : marked
    const expiresAt = Math.ceil((breaker.state === 'closed' ? failuresUntil : now + DAY_MS) / 1_000)
    return { breaker, failuresUntil, expiresAt }
  })
  if (!change) return null
  const [from, to] = [stateOf(change.before), stateOf(change.after)]
  if (from !== to) log({ event: 'breaker-transition', provider, from, to, because: event.kind })
  if (from !== 'closed' && to === 'closed') {
    await Promise.all([stats.resetProvider(provider), liftBenches(tools, provider)])
  }
  return change.after?.breaker ?? CLOSED
}
