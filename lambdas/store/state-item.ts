import type { Breaker } from '../core/health/breaker.ts'
import type { Remembered } from '../core/refusals/refusals.ts'
import type { Health } from '../core/health/health.ts'
import type { Mode } from '../core/health/mode.ts'
import type { BreakerKey, CapabilityKey, EndpointKey, QuotaMarkKey, StateKey } from '../core/item-keys.ts'

type Item<Kind extends string, Key extends StateKey, Value> = {
  kind: Kind
  key: Key
  /** Counts the writes of this item; every write is on condition of the version that was read. */
  version: number
  /** Epoch seconds, as TTL wants it; null = never. Readers ignore what has expired, because TTL may lag by days. */
  expiresAt: number | null
} & Value

/** An endpoint that is not healthy. No TTL on a quarantine: only a probe that succeeds may end it. */
export type EndpointItem = Item<
  'endpoint',
  EndpointKey,
  {
    health: Exclude<Health, { state: 'healthy' }>
    /** A probe run that claimed it has until then to report; epoch milliseconds, 0 = unclaimed. */
    leaseUntil: number
  }
>

/** A breaker that is not closed, or a provider's mark. */
export type BreakerItem = Item<
  'breaker',
  BreakerKey,
  {
    breaker: Breaker
    /** The provider's window holds failures until then; epoch milliseconds, 0 = no mark. */
    failuresUntil: number
    /** Tags of the models whose failures opened a provider's breaker. */
    causes: readonly string[]
  }
>

/** What an endpoint has refused. An item of its own, because a healthy endpoint has none. */
export type CapabilityItem = Item<'capability', CapabilityKey, { refusals: readonly Remembered[] }>

/** Operator overrides by setting name, and a mark for instances that hold keys. */
export type SettingsItem = Item<
  'settings',
  'settings',
  {
    overrides: Readonly<Record<string, string | number | boolean>>
    /** When a key in the secret was last changed; epoch milliseconds. */
    secretChangedAt?: number
  }
>

export type ModeItem = Item<'mode', 'mode', { mode: Mode }>

/** Every instance is to read the counters of quotas that it names. */
export type QuotaMarkItem = Item<'quota', QuotaMarkKey, object>

export type StateItem = EndpointItem | BreakerItem | CapabilityItem | QuotaMarkItem | SettingsItem | ModeItem

export type ItemByKind = {
  endpoint: EndpointItem
  breaker: BreakerItem
  capability: CapabilityItem
  quota: QuotaMarkItem
  settings: SettingsItem
  mode: ModeItem
}
export type ItemKind = keyof ItemByKind
