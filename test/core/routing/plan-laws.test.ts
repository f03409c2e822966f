import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { currentRefusals, knownEndpoint, type Remembered } from '../../../lambdas/core/refusals/refusals.ts'
import {
  benchScope,
  endpointLimits,
  keyLimits,
  providerScope,
  type BreakerScope,
} from '../../../lambdas/core/health/breaker-scope.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import type { Chain } from '../../../lambdas/core/endpoint.ts'
import { keyAtEndpoint } from '../../../lambdas/core/quota/quota-mark.ts'
import { lookAgain, planChain } from '../../../lambdas/core/routing/plan.ts'
import type { BreakerMark, HealthMark, Snapshot } from '../../../lambdas/core/routing/snapshot.ts'
import { FIXED_WINDOWS, counterName, type FixedKind } from '../../../lambdas/core/health/counter-names.ts'
import { bucketAt } from '../../../lambdas/core/health/window.ts'
import { STRATEGY_NAMES } from '../../../lambdas/core/order/strategies.ts'
import { endpointFigures } from '../../../lambdas/core/routing/endpoint-figures.ts'
import { seededRandom } from '../../bench/week/random.ts'
import { chainOf, endpointNamed, requestFor } from '../build.ts'

const NOW = 1_000
const PROVIDERS = ['a', 'b', 'c']
const KEYS = ['k1', 'k2']

const capability = fc.constantFrom(true, false, null)
const endpoints = fc.record({
  tools: capability,
  vision: capability,
  needsKey: fc.boolean(),
  isLocal: fc.boolean(),
  contextWindow: fc.constantFrom(null, 50, 100, 200),
})
const weights = fc.constantFrom({}, {}, {}, { weight: 0 }, { weight: 2 })
const replicas = fc.tuple(fc.constantFrom(...PROVIDERS), endpoints, weights)
const chains = fc
  .tuple(fc.array(fc.array(replicas, { maxLength: 4 }), { maxLength: 4 }), fc.constantFrom(...STRATEGY_NAMES))
  .map(([tiers, strategy]) => ({
    ...chainOf(
      tiers.map((listed, tier) =>
        listed.map(([provider, declared, weight], place) =>
          endpointNamed(`${provider}/m${tier}${place}`, { ...declared, ...weight }),
        ),
      ),
    ),
    strategy,
  }))
const counted = fc
  .record({ dayOk: fc.nat(1_000), dayFailed: fc.nat(1_000), recentFailed: fc.nat(50) })
  .map(counts =>
    endpointFigures(
      Object.fromEntries(
        Object.entries(counts).map(([kind, count]) => [
          counterName(kind as FixedKind, bucketAt(NOW, FIXED_WINDOWS[kind as FixedKind])),
          count,
        ]),
      ),
      NOW,
    ),
  )

const instants = fc.integer({ min: NOW - 2, max: NOW + 2 })
const healthMarks: fc.Arbitrary<HealthMark> = fc.oneof(
  fc.constant({ state: 'suspect' as const, cause: 'network' as const }),
  fc.record({
    state: fc.constant('quarantined' as const),
    since: instants,
    cause: fc.constant('model_not_found' as const),
    nextProbeAt: instants,
    nextOnDemandAt: fc.option(instants),
  }),
)
const kinds = fc.constantFrom('rate_limit' as const, 'overloaded' as const)
const past = fc.integer({ min: NOW - 9, max: NOW })
const guesses = fc.record({
  kind: kinds,
  step: fc.constant(0),
  since: past,
  openedAt: past,
  until: instants,
  slots: fc.boolean(),
})
const statements = fc.record({ kind: kinds, until: instants, at: past })
const breakers: fc.Arbitrary<BreakerMark['breaker']> = fc.oneof(
  fc
    .record({
      state: fc.constant('open' as const),
      guess: fc.option(guesses),
      stated: fc.option(statements),
      triedAt: fc.option(past),
    })
    .filter(({ guess, stated }) => guess !== null || stated !== null),
  fc.record({
    state: fc.constant('half-open' as const),
    guess: guesses,
    stated: fc.option(statements),
    trial: fc.record({ at: past, leaseUntil: instants, early: fc.boolean() }),
  }),
)
const marks: fc.Arbitrary<BreakerMark> = fc.record({ breaker: breakers, causes: fc.constant([]) })

const remembered: fc.Arbitrary<Remembered> = fc.oneof(
  fc.record({ what: fc.constantFrom('tools', 'vision', 'json', 'stream'), until: instants }),
  fc.record({
    what: fc.constantFrom('param', 'droppable'),
    name: fc.constantFrom('seed', 'store'),
    until: instants,
  }),
  fc.record({ what: fc.constant('context'), window: fc.integer({ min: 1, max: 200 }), until: instants }),
)

const mapFrom = <Key extends string, Value>(keys: readonly Key[], values: fc.Arbitrary<Value>) =>
  fc
    .tuple(...keys.map(() => fc.option(values)))
    .map(
      found =>
        new Map(
          keys.flatMap((key, index) => (value => (value ? [[key, value] as const] : []))(found[index])),
        ),
    )

/** Something remembered about every place that the plan looks at. */
function snapshotsFor(chain: Chain): fc.Arbitrary<Snapshot> {
  const all = chain.tiers.flat()
  const scopes = all.flatMap((endpoint): BreakerScope[] => [
    providerScope(endpoint.provider),
    ...endpointLimits(endpoint),
    benchScope(endpoint.id),
    ...KEYS.flatMap(key => keyLimits(endpoint, key)),
  ])
  return fc.record({
    keys: mapFrom(PROVIDERS, fc.subarray(KEYS)),
    health: mapFrom(
      all.map(({ id }) => id),
      healthMarks,
    ),
    breakers: mapFrom([...new Set(scopes)], marks),
    cuts: fc.constant(new Map()),
    failing: fc.subarray(PROVIDERS).map(providers => new Set(providers)),
    refusals: mapFrom(
      all.map(({ id }) => id),
      fc.array(remembered),
    ),
    quotas: mapFrom(
      all.flatMap(endpoint => [null, ...KEYS].map(key => keyAtEndpoint(endpoint, key))),
      fc.record({ headroom: fc.double({ min: 0, max: 1, noNaN: true }), spentUntil: fc.option(instants) }),
    ),
    figures: mapFrom(
      all.map(({ id }) => id),
      counted,
    ),
    settings: fc
      .tuple(fc.constantFrom(0, 5, 1_000), fc.constantFrom(1, 5, 1_000))
      .map(([local_cooldown_max_ms, last_resort_ms]) => ({
        ...DEFAULT_SETTINGS,
        local_cooldown_max_ms,
        last_resort_ms,
      })),
    degraded: fc.boolean(),
  })
}

const requests = fc
  .record({ tools: fc.boolean(), vision: fc.boolean() })
  .map(needs => requestFor({ needs: { ...needs, json: false } }))

const situations = chains.chain(chain => fc.tuple(fc.constant(chain), snapshotsFor(chain), requests))

it('candidates and skipped endpoints together are a permutation of the chain', () => {
  fc.assert(
    fc.property(situations, fc.integer(), ([chain, snapshot, request], seed) => {
      const { candidates, skipped } = planChain(request, chain, snapshot, NOW, seededRandom(seed))
      const planned = [...candidates, ...skipped].map(({ endpoint, tier }) => `${tier} ${endpoint.id}`)
      const configured = chain.tiers.flatMap((replicas, tier) => replicas.map(({ id }) => `${tier} ${id}`))
      expect(planned.toSorted()).toEqual(configured.toSorted())
    }),
  )
})

it('healthy candidates come before suspects, each in tier order', () => {
  fc.assert(
    fc.property(situations, fc.integer(), ([chain, snapshot, request], seed) => {
      const { candidates } = planChain(request, chain, snapshot, NOW, seededRandom(seed))
      const ranks = candidates.map(({ suspect, tier }) => (suspect ? 100 : 0) + tier)
      expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
    }),
  )
})

it('no candidate is one that the fleet knows would fail', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      const { candidates } = planChain(request, chain, snapshot, NOW)
      for (const { endpoint, suspect, trial, keys } of candidates) {
        expect(snapshot.health.get(endpoint.id)?.state).toBe(suspect ? 'suspect' : undefined)
        const behind = snapshot.breakers.has(providerScope(endpoint.provider))
        const scopes = [
          providerScope(endpoint.provider),
          ...(behind ? [] : [benchScope(endpoint.id)]),
          ...endpointLimits(endpoint),
          ...keys.flatMap(key => keyLimits(endpoint, key)),
        ]
        const claimed = new Set(trial.map(({ scope }) => scope))
        for (const scope of scopes) {
          const breaker = snapshot.breakers.get(scope)?.breaker
          if (!breaker) continue
          // What was stated bars whoever it is; what is guessed is claimed.
          expect((breaker.stated?.until ?? 0) > NOW).toBe(false)
          expect(claimed.has(scope)).toBe(breaker.guess !== null)
        }
        expect(endpoint.needsKey && keys.length === 0).toBe(false)
      }
    }),
  )
})

it('no candidate has refused what the request needs, unless its owner says that it can', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      const { candidates, skipped } = planChain(request, chain, snapshot, NOW)
      const declared = new Map(chain.tiers.flat().map(endpoint => [endpoint.id, endpoint]))
      for (const { endpoint } of candidates) {
        expect(request.needs.tools && endpoint.tools === false).toBe(false)
        expect(request.needs.vision && endpoint.vision === false).toBe(false)
        expect(endpoint.contextWindow ?? Infinity).toBeGreaterThanOrEqual(request.promptTokens)
      }
      for (const { endpoint } of [...candidates, ...skipped]) {
        const { tools, contextWindow } = declared.get(endpoint.id) ?? expect.fail('an endpoint from nowhere')
        expect(endpoint.tools).toBe(tools ?? endpoint.tools)
        expect(endpoint.contextWindow).toBe(contextWindow ?? endpoint.contextWindow)
        const known = knownEndpoint(endpoint, currentRefusals(snapshot.refusals.get(endpoint.id) ?? [], NOW))
        expect(known).toEqual(endpoint)
      }
    }),
  )
})

it('a candidate is still one when nothing has changed since', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      for (const { endpoint, keys } of planChain(request, chain, snapshot, NOW).candidates) {
        const seen = lookAgain(endpoint, snapshot, NOW)
        expect(seen.state).toBe('available')
        expect(seen.state === 'available' && keys.every(key => seen.keys.includes(key))).toBe(true)
      }
    }),
  )
})

it('whatever is skipped for a time comes back later than now', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      const { skipped } = planChain(request, chain, snapshot, NOW)
      for (const { reason, cause } of skipped) expect(cause !== null).toBe(reason === 'cooldown')
      const timed = skipped.filter(({ reason }) => reason === 'cooldown' || reason === 'breaker_open')
      for (const { until } of timed) expect(until).toBeGreaterThan(NOW)
    }),
  )
})

it('a last resort is what only guesses bar, and it is skipped until nothing else is left', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      const { lastResorts, skipped } = planChain(request, chain, snapshot, NOW)
      for (const { endpoint, trial, keys } of lastResorts) {
        expect(skipped.some(skip => skip.endpoint === endpoint && skip.lastResortAt !== undefined)).toBe(true)
        expect(trial.length).toBeGreaterThan(0)
        const scopes = [...endpointLimits(endpoint), ...keys.flatMap(key => keyLimits(endpoint, key))]
        for (const scope of scopes) {
          expect((snapshot.breakers.get(scope)?.breaker.stated?.until ?? 0) > NOW).toBe(false)
        }
      }
    }),
  )
})

it('planning changes nothing and always gives the same plan', () => {
  fc.assert(
    fc.property(situations, ([chain, snapshot, request]) => {
      const before = structuredClone({ chain, snapshot, request })
      const plan = planChain(request, chain, snapshot, NOW)
      expect(planChain(request, chain, snapshot, NOW)).toEqual(plan)
      expect({ chain, snapshot, request }).toEqual(before)
    }),
  )
})
