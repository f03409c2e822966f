import * as fc from 'fast-check'
import { SETTING_NAMES } from '../../lambdas/core/settings/setting-values.ts'
import { FAILURE_KINDS } from '../../lambdas/core/failures/kinds.ts'
import type { CapabilityItem, CooldownItem, EndpointItem, StateItem } from '../../lambdas/store/state-item.ts'

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
      probe: { dueAt: NOW + 45_000, failures: 0 },
      failure: { kind: 'model_not_found', status: 404, message: 'gone', at: NOW },
    },
    ...overrides,
  }
}

/** A cooldown that the table may forget in an hour. */
export function cooldownItem(scope: string, overrides: Partial<CooldownItem> = {}): CooldownItem {
  return {
    kind: 'cooldown',
    key: `cooldown#${scope}`,
    version: 1,
    expiresAt: NOW_SECONDS + 3_600,
    cooldown: {
      until: NOW + 60_000,
      step: 0,
      kind: 'rate_limit',
      at: NOW,
      stated: false,
      request: 'request',
    },
    ...overrides,
  }
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
const illness = {
  since: instants,
  probe: fc.record({ dueAt: instants, failures: fc.nat() }),
  failure: fc.record({
    kind: kinds,
    status: fc.option(fc.nat(999)),
    message: fc.string({ maxLength: 300, unit: 'grapheme' }),
    at: instants,
  }),
}

/** Any item that the engine could write. */
export const stateItems: fc.Arbitrary<StateItem> = fc.oneof(
  fc.record({
    kind: fc.constant('endpoint' as const),
    key: names.map(name => `endpoint#${name}` as const),
    ...common,
    leaseUntil: instants,
    health: fc.record({ state: fc.constantFrom('suspect' as const, 'quarantined' as const), ...illness }),
  }),
  fc.record({
    kind: fc.constant('breaker' as const),
    key: names.map(name => `breaker#${name}` as const),
    ...common,
    failuresUntil: instants,
    breaker: fc.oneof(
      fc.record({ state: fc.constant('closed' as const) }),
      fc.record({ state: fc.constant('open' as const), openedAt: instants }),
      fc.record({
        state: fc.constant('half-open' as const),
        openedAt: instants,
        trialStartedAt: instants,
        leaseUntil: instants,
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('cooldown' as const),
    key: names.map(name => `cooldown#${name}` as const),
    ...common,
    cooldown: fc.record({
      until: instants,
      step: fc.option(fc.nat(4)),
      kind: kinds,
      at: instants,
      stated: fc.boolean(),
      request: fc.string(),
    }),
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
