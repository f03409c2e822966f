import * as fc from 'fast-check'
import type { BreakerScope } from '../../lambdas/core/health/breaker-scope.ts'
import { SETTING_NAMES } from '../../lambdas/core/settings/setting-values.ts'
import { FAILURE_KINDS, type FailureKind } from '../../lambdas/core/failures/kinds.ts'
import type { BreakerItem, CapabilityItem, EndpointItem, StateItem } from '../../lambdas/store/state-item.ts'

export const NOW = 1_800_000_000_000
export const NOW_SECONDS = NOW / 1_000

/** A quarantined endpoint, which never expires. */
export function endpointItem(name: string, overrides: Partial<EndpointItem> = {}): EndpointItem {
  return {
    kind: 'endpoint',
    key: `endpoint#${name}`,
    version: 1,
    expiresAt: null,
    leaseUntil: 0,
    health: {
      state: 'quarantined',
      since: NOW,
      probe: {
        dueAt: NOW + 45_000,
        failures: 0,
        sent: { day: 0, count: 0 },
        onDemand: { day: 0, count: 0, at: 0 },
      },
      cause: 'model_not_found',
    },
    ...overrides,
  }
}

/** A limit's breaker that the table may forget in an hour. */
export function breakerItem(name: string, overrides: Partial<BreakerItem> = {}): BreakerItem {
  return {
    kind: 'breaker',
    key: `breaker#limit#model#${name}`,
    version: 1,
    expiresAt: NOW_SECONDS + 3_600,
    failuresUntil: 0,
    causes: [],
    breaker: {
      state: 'open',
      guess: { kind: 'rate_limit', step: 0, since: NOW, openedAt: NOW, until: NOW + 60_000, slots: false },
      stated: null,
      triedAt: null,
    },
    ...overrides,
  }
}

/** What bars a scope until then: stated, or else guessed since a minute before. */
export function barItem(
  scope: BreakerScope,
  until: number,
  kind: FailureKind | 'stated' = 'rate_limit',
): BreakerItem {
  const at = until - 60_000
  const breaker =
    kind === 'stated'
      ? ({ state: 'open', guess: null, stated: { kind: 'rate_limit', until, at }, triedAt: null } as const)
      : ({
          state: 'open',
          guess: { kind, step: 0, since: at, openedAt: at, until, slots: false },
          stated: null,
          triedAt: null,
        } as const)
  return { ...breakerItem('a'), key: `breaker#${scope}`, expiresAt: null, breaker }
}

/** What an endpoint refused, remembered for a day. */
export function capabilityItem(name: string, overrides: Partial<CapabilityItem> = {}): CapabilityItem {
  return {
    kind: 'capability',
    key: `capability#${name}`,
    version: 1,
    expiresAt: NOW_SECONDS + 86_400,
    refusals: [{ what: 'tools', until: NOW + 86_400_000 }],
    ...overrides,
  }
}

const instants = fc.integer({ min: 0, max: 8_640_000_000_000_000 })
const names = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
const kinds = fc.constantFrom(...FAILURE_KINDS)
const common = { version: fc.integer(), expiresAt: fc.option(fc.nat()) }
const dayCounts = fc
  .record({ day: fc.nat(100_000_000), count: fc.nat(9_999) })
  .map(({ day, count }) => ({ day: count > 0 ? day : 0, count }))
const onDemands = fc
  .record({ counts: dayCounts, at: instants })
  .map(({ counts, at }) => (at > 0 ? { ...counts, at } : { day: 0, count: 0, at }))
const illness = {
  since: instants,
  probe: fc.record({ dueAt: instants, failures: fc.nat(), sent: dayCounts, onDemand: onDemands }),
  cause: kinds,
}
const guesses = fc.record({
  kind: kinds,
  step: fc.integer({ min: -1, max: 60 }),
  since: instants,
  openedAt: instants,
  until: instants,
  slots: fc.boolean(),
})
const statements = fc.record({ kind: kinds, until: instants, at: instants })
const trials = fc.record({ at: instants, leaseUntil: instants, early: fc.boolean() })
const opened = fc
  .record({
    state: fc.constant('open' as const),
    guess: fc.option(guesses),
    stated: fc.option(statements),
    triedAt: fc.option(instants),
  })
  .filter(({ guess, stated }) => guess !== null || stated !== null)
const tags = fc.array(fc.constantFrom('00ff', 'a1b2', '0000'), { maxLength: 3 })
const scopes = fc
  .tuple(fc.constantFrom('provider#', 'endpoint#', 'limit#key-model#'), names)
  .map(([family, name]) => `${family}${name}` as BreakerScope)

/** Any item that the engine could write. */
export const stateItems: fc.Arbitrary<StateItem> = fc.oneof(
  fc.record({
    kind: fc.constant('endpoint' as const),
    key: names.map(name => `endpoint#${name}` as const),
    ...common,
    leaseUntil: instants,
    health: fc.oneof(
      fc.record({ state: fc.constantFrom('suspect' as const, 'quarantined' as const), ...illness }),
      fc.record({ state: fc.constant('quarantined' as const), byHand: fc.string(), ...illness }),
    ),
  }),
  fc.record({
    kind: fc.constant('breaker' as const),
    key: scopes.map(scope => `breaker#${scope}` as const),
    ...common,
    failuresUntil: instants,
    causes: tags,
    breaker: fc.oneof(
      fc.record({ state: fc.constant('closed' as const) }),
      opened,
      fc.record({
        state: fc.constant('half-open' as const),
        guess: guesses,
        stated: fc.option(statements),
        trial: trials,
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('capability' as const),
    key: names.map(name => `capability#${name}` as const),
    ...common,
    refusals: fc.array(
      fc.oneof(
        fc.record({ what: fc.constantFrom('tools', 'vision', 'json', 'stream'), until: instants }),
        fc.record({
          what: fc.constantFrom('param', 'droppable'),
          name: fc.constantFrom('seed', 'logit_bias'),
          until: instants,
        }),
        fc.record({ what: fc.constant('context'), window: fc.integer({ min: 1 }), until: instants }),
      ),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    kind: fc.constant('settings' as const),
    key: fc.constant('settings' as const),
    ...common,
    overrides: fc.dictionary(
      fc.constantFrom(...SETTING_NAMES),
      fc.oneof(fc.string(), fc.integer(), fc.boolean()),
    ),
  }),
  fc.record({
    kind: fc.constant('mode' as const),
    key: fc.constant('mode' as const),
    ...common,
    mode: fc.oneof(
      fc.record({ state: fc.constant('normal' as const), fewSince: fc.option(instants) }),
      fc.record({
        state: fc.constant('degraded' as const),
        since: instants,
        enoughSince: fc.option(instants),
      }),
    ),
  }),
)
