import { cooldownKey } from '../../core/item-keys.ts'
import {
  BENCH_LADDER_MS,
  cooldownAfter,
  type Cooldown,
  type CooldownEvent,
} from '../../core/health/cooldown.ts'
import { benchScope, cooldownScope, endpointScopes, keyScopes } from '../../core/health/cooldown-scope.ts'
import type { Blame } from '../../core/failures/blame.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { changeItem, itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

const DAY_MS = 86_400_000

async function change(
  tools: MemoryTools,
  scope: string,
  event: CooldownEvent,
  ladder?: readonly number[],
): Promise<void> {
  const changed = await changeItem(tools, 'cooldown', cooldownKey(scope), item => {
    const before = item?.cooldown ?? null
    const cooldown = cooldownAfter(before, event, ladder)
    // The ladder is remembered for a day after its last bench.
    const expiresAt = Math.ceil((Math.max(cooldown.until, cooldown.at) + DAY_MS) / 1_000)
    return cooldown === before ? 'keep' : { cooldown, expiresAt }
  })
  const until = changed?.after?.cooldown.until
  if (until !== undefined) tools.log({ event: 'cooldown', scope, kind: event.kind, until })
}

type Attempt = { endpoint: Endpoint; key: string | null; requestId: string; startedAt: number }

/** Lets the scope that a failure blames cool down. */
export async function coolDown(
  tools: MemoryTools,
  { endpoint, key, requestId }: Attempt,
  failure: Failure,
  target: NonNullable<Blame['cooldown']>,
  statedMs: number | null,
): Promise<void> {
  const event = { kind: failure.kind, statedMs, at: tools.clock.now(), request: requestId }
  await change(tools, cooldownScope(target, endpoint, key), event)
}

/** Benches an endpoint that keeps failing in ways that prove nothing about its provider. */
export async function bench(
  tools: MemoryTools,
  { endpoint, requestId }: Attempt,
  failure: Failure,
): Promise<void> {
  const event = { kind: failure.kind, statedMs: null, at: tools.clock.now(), request: requestId }
  await change(tools, benchScope(endpoint.id), event, BENCH_LADDER_MS)
}

/**
 * A success clears the ladders that its endpoint and key stand on. One that was under way when they began to cool
 * down proves nothing, and a stated wait stands whatever succeeds meanwhile.
 */
export async function clearLadders(tools: MemoryTools, { endpoint, key, startedAt }: Attempt): Promise<void> {
  const scopes = [
    ...endpointScopes(endpoint),
    benchScope(endpoint.id),
    ...(key === null ? [] : keyScopes(endpoint, key)),
  ]
  const items = tools.view.known()
  const isOver = ({ until, stated, at }: Cooldown): boolean =>
    until <= tools.clock.now() || (!stated && startedAt > at)
  const standing = scopes.filter(scope => itemAt(items, 'cooldown', cooldownKey(scope)))
  await Promise.all(
    standing.map(scope =>
      changeItem(tools, 'cooldown', cooldownKey(scope), item =>
        item && isOver(item.cooldown) ? null : 'keep',
      ),
    ),
  )
}
