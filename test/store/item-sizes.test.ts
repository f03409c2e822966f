import { describe, expect, it } from 'vitest'
import {
  benchScope,
  keyLimit,
  keyModelLimit,
  providerScope,
} from '../../lambdas/core/health/breaker-scope.ts'
import { measuredAnswer } from '../../lambdas/core/health/answer-speed.ts'
import { createStatsWriter } from '../../lambdas/engine/memory/counters/stats-writer.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'
import { providerShardKey, statsPartition, type StatsKey } from '../../lambdas/core/item-keys.ts'
import { encodeStateItem } from '../../lambdas/store/item-codec.ts'
import type { StateItem } from '../../lambdas/store/state-item.ts'
import { seededRandom } from '../bench/week/random.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { itemBytes } from '../support/tables/item-bytes.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { NOW, barItem, breakerItem, capabilityItem, endpointItem } from './state-items.ts'

/** So many fit into the half unit that a look costs: 27 endpoints that are ill. */
const MOST_BYTES = 150
/** Every write costs a unit for each of these. */
const UNIT_BYTES = 1_024

const ENDPOINT = 'openrouter/meta-llama/llama-3.3-70b-instruct'
const OWN_ENDPOINT = 'local@1a2b3c4d/qwen2.5-coder-32b'
const KEY = '0123abcd'
const DAY_MS = 86_400_000

const day = Math.floor(NOW / DAY_MS)
const { health } = endpointItem(ENDPOINT)
const probe = { dueAt: NOW + 45_123, failures: 24, sent: { day, count: 31 } }
const guess = {
  kind: 'quota_exhausted' as const,
  step: 3,
  since: NOW - 601_234,
  openedAt: NOW - 12_345,
  until: NOW + 61_007,
  slots: false,
}
const halfOpen = {
  state: 'half-open' as const,
  guess,
  stated: null,
  trial: { at: NOW - 321, leaseUntil: NOW + 9_679, early: false },
}
const version = NOW
const expiresAt = Math.ceil(NOW / 1_000) + 3_600

const ITEMS: Record<string, StateItem> = {
  'an endpoint in quarantine': endpointItem(ENDPOINT, {
    version,
    leaseUntil: NOW + 45_000,
    health: { ...health, probe: { ...probe, onDemand: { day: 0, count: 0, at: 0 } } },
  }),
  'one that requests have probed': endpointItem(OWN_ENDPOINT, {
    version,
    health: { ...health, probe: { ...probe, onDemand: { day, count: 12, at: NOW - 1_234 } } },
  }),
  'a suspect': endpointItem(ENDPOINT, {
    version,
    expiresAt,
    health: { ...health, state: 'suspect', probe: { ...probe, onDemand: { day: 0, count: 0, at: 0 } } },
  }),
  'the mark of a provider': {
    ...breakerItem(''),
    key: `breaker#${providerScope('openrouter')}`,
    version,
    breaker: { state: 'closed' },
    failuresUntil: NOW + 300_000,
  },
  'a breaker of a provider': {
    ...breakerItem(''),
    key: `breaker#${providerScope('openrouter')}`,
    version,
    expiresAt,
    breaker: halfOpen,
    failuresUntil: NOW + 300_000,
    causes: ['0af3', '91bc'],
  },
  'a bench': {
    ...breakerItem(''),
    key: `breaker#${benchScope(ENDPOINT)}`,
    version,
    expiresAt,
    breaker: halfOpen,
  },
  'a guessed limit of a key': {
    ...breakerItem(''),
    key: `breaker#${keyModelLimit(OWN_ENDPOINT, KEY)}`,
    version,
    expiresAt,
    breaker: { ...halfOpen, guess: { ...guess, kind: 'rate_limit' } },
  },
  'a stated limit': {
    ...barItem(keyModelLimit(ENDPOINT, KEY), NOW + 61_007, 'stated'),
    version,
    expiresAt,
  },
  'an empty account': { ...barItem(keyLimit('openrouter', KEY), NOW, 'quota_exhausted'), version, expiresAt },
  'the mode': {
    kind: 'mode',
    key: 'mode',
    version,
    expiresAt: null,
    mode: { state: 'degraded', since: NOW, enoughSince: NOW + 1 },
  },
  'what an endpoint refused': capabilityItem(OWN_ENDPOINT, { version, expiresAt }),
}

describe('items of the state', () => {
  it.each(Object.entries(ITEMS))('%s takes at most 150 bytes', (_, item) => {
    expect(itemBytes(encodeStateItem(item))).toBeLessThanOrEqual(MOST_BYTES)
  })
})

describe('items of counters', () => {
  async function countedFor(days: number) {
    const clock = createFakeClock(NOW)
    const store = createMemoryStore(clock)
    const stats = createStatsWriter(store, clock, () => DEFAULT_SETTINGS)
    const counts = { evidence: 0, bench: true, lastFailure: 'x'.repeat(160) }
    let largest = 0
    const random = seededRandom(7)
    /** Prompts of every size, each size's first outputs spread by a factor of four on either side. */
    const answers = Array.from({ length: 100 }, (_, index) =>
      measuredAnswer([100, 8_000, 50_000][index % 3] ?? 0, false, {
        firstOutputMs: 400 * 2 ** (index % 3) * 4 ** (2 * random() - 1),
        outputTokens: 400,
        outputMs: 7_000,
      }),
    )
    // By the hour, and then by the minute: what counts for minutes is in the item beside what counts for days.
    const pauses = [
      ...Array.from({ length: days * 24 }, () => 3_600_000),
      ...Array.from({ length: 90 }, () => 60_000),
    ]
    for (const pause of pauses) {
      clock.pass(pause)
      for (const answer of answers) stats.succeeded(ENDPOINT, 'openrouter', answer)
      stats.unanswered(ENDPOINT, counts.lastFailure)
      await stats.failed(ENDPOINT, counts).written
      await stats.providerFailed('openrouter', ENDPOINT, true).written
      await stats.flush(null)
      const sizes = [`endpoint#${ENDPOINT}` as const, providerShardKey('openrouter', 4)].map(
        (key: StatsKey) =>
          itemBytes({
            pk: statsPartition(key),
            sk: key,
            expiresAt: store.countsExpireAt(key),
            ...store.counts(key),
            lastFailure: key.startsWith('endpoint#') ? counts.lastFailure : undefined,
          }),
      )
      largest = Math.max(largest, ...sizes)
    }
    return largest
  }

  it('cost one write unit, however long an endpoint has been counted', async () => {
    expect(await countedFor(9)).toBeLessThanOrEqual(UNIT_BYTES)
  })
})
