import type { StateKey } from '../../../lambdas/core/item-keys.ts'
import { describe, expect, test } from 'vitest'
import { breakerWindow, counterName } from '../../../lambdas/core/health/counter-names.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { bucketAt } from '../../../lambdas/core/health/window.ts'
import { changeOverrides } from '../../../lambdas/engine/memory/change-overrides.ts'
import { markSecretChanged } from '../../../lambdas/engine/memory/mark-secret-changed.ts'
import { createMemoryTools, type MemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import {
  closeBreaker,
  quarantineEndpoint,
  releaseEndpoint,
} from '../../../lambdas/engine/operate/operate-endpoint.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import type { StateItem } from '../../../lambdas/store/state-item.ts'
import { endpointNamed } from '../../core/build.ts'
import type { BreakerScope } from '../../../lambdas/core/health/breaker-scope.ts'
import { barItem } from '../../store/state-items.ts'
import { createMemoryStore, type MemoryStore } from '../../support/tables/memory-store.ts'

const NOW = 1_800_000_000_000
const clock = { ...systemClock, now: () => NOW, random: () => 0.5 }
const [LLAMA, OTHER] = [endpointNamed('groq/llama'), endpointNamed('groq/other')]

const newStore = (): MemoryStore => createMemoryStore(clock)

/** The tools of one process that has looked at the table. */
async function look(store: MemoryStore): Promise<MemoryTools> {
  const endpoints = [LLAMA, OTHER]
  const options = {
    store,
    clock,
    endpoints,
    keys: () => new Map<string, string[]>(),
    settings: DEFAULT_SETTINGS,
    log: () => {},
  }
  const tools = createMemoryTools(options)
  await tools.view.current(1_000)
  return tools
}

const keysIn = (store: MemoryStore): StateKey[] => store.items().map(({ key }) => key)

const cooling = (scope: BreakerScope): StateItem => barItem(scope, NOW + 60_000)

describe('a release', () => {
  test('lifts what bars the endpoint, under whatever key, and nothing else', async () => {
    const store = newStore()
    const barring = [
      'limit#provider#groq',
      'limit#model#groq/llama',
      'endpoint#groq/llama',
      'limit#key#groq#1a2b3c4d',
      'limit#key-model#groq/llama#1a2b3c4d',
    ] as const
    const others = [
      'limit#model#groq/other',
      'limit#key#openai#1a2b3c4d',
      'limit#key-model#groq/other#1a2b3c4d',
      'limit#provider#openai',
    ] as const
    for (const scope of [...barring, ...others]) await store.putStateItem(cooling(scope), null)
    expect(await releaseEndpoint(await look(store), LLAMA)).toEqual({ from: 'healthy', cooldowns: 5 })
    expect(keysIn(store)).toEqual(others.map(scope => `breaker#${scope}`))
  })

  test('forgets evidence and bench counts of any bucket width, and keeps what people read', async () => {
    const store = newStore()
    const counters = { e12: 3, e500000: 4, b30000000: 3, do20833: 7, df20833: 2 }
    await store.addCounts('endpoint#groq/llama', counters, [], NOW + 1)
    const tools = await look(store)
    await quarantineEndpoint(tools, LLAMA, 'by hand')
    expect(await releaseEndpoint(tools, LLAMA)).toEqual({ from: 'quarantined', cooldowns: 0 })
    expect(store.counts('endpoint#groq/llama')).toEqual({ do20833: 7, df20833: 2 })
    expect(keysIn(store)).toEqual([])
  })

  test('wins over a change that it has not seen', async () => {
    const store = newStore()
    const [late, early] = [await look(store), await look(store)]
    await quarantineEndpoint(late, LLAMA, 'first')
    const slow = await look(store)
    await releaseEndpoint(late, LLAMA)
    await quarantineEndpoint(early, LLAMA, 'second')
    expect(await releaseEndpoint(slow, LLAMA)).toMatchObject({ from: 'quarantined' })
    expect(keysIn(store)).toEqual([])
  })

  test('of a table that is away rejects', async () => {
    const store = newStore()
    const tools = await look(store)
    store.fail('refuse')
    await expect(releaseEndpoint(tools, LLAMA)).rejects.toThrow('refuse')
  })
})

test('a quarantine by hand never expires and says why', async () => {
  const store = newStore()
  const health = await quarantineEndpoint(await look(store), LLAMA, 'odd answers')
  expect(health).toMatchObject({ state: 'quarantined', since: NOW, byHand: 'odd answers' })
  // It is no failure of the provider.
  expect((await store.readStats()).get('endpoint#groq/llama')).toBeUndefined()
  expect(store.items()).toMatchObject([{ key: 'endpoint#groq/llama', expiresAt: null, health }])
})

describe('closing a breaker', () => {
  const shape = breakerWindow(DEFAULT_SETTINGS.breaker_window_ms)

  test('empties its window and lifts the benches of its endpoints', async () => {
    const store = newStore()
    await store.putStateItem(barItem('provider#groq', NOW + 60_000, 'server_error'), null)
    await store.putStateItem(cooling('endpoint#groq/other'), null)
    await store.addCounts(
      'breaker#groq#3',
      { [counterName('failed', bucketAt(NOW, shape), '00ff')]: 9 },
      [],
      NOW + 1,
    )
    expect(await closeBreaker(await look(store), 'groq')).toBe(true)
    expect(keysIn(store)).toEqual([])
    expect(store.counts('breaker#groq#3')).toEqual({})
  })

  test('that is closed changes nothing', async () => {
    const store = newStore()
    expect(await closeBreaker(await look(store), 'groq')).toBe(false)
    expect(store.items()).toEqual([])
  })
})

describe('overrides', () => {
  test('of two operators at once are all kept', async () => {
    const store = newStore()
    const [one, other] = [await look(store), await look(store)]
    await changeOverrides(one, new Map([['retry_max_attempts', 2]]))
    const together = { retry_max_attempts: 2, direct_models: true }
    expect(await changeOverrides(other, new Map([['direct_models', true]]))).toEqual(together)
    expect(store.items()).toMatchObject([{ key: 'settings', expiresAt: null, overrides: together }])
  })

  test('that are all removed leave no item', async () => {
    const store = newStore()
    const tools = await look(store)
    await changeOverrides(tools, new Map([['direct_models', true]]))
    expect(await changeOverrides(tools, new Map([['direct_models', null]]))).toEqual({})
    expect(store.items()).toEqual([])
  })

  test('and the mark of a changed secret keep each other', async () => {
    const store = newStore()
    const [one, other] = [await look(store), await look(store)]
    await changeOverrides(one, new Map([['direct_models', true]]))
    await markSecretChanged(other)
    const marked = { secretChangedAt: other.clock.now(), expiresAt: null }
    expect(store.items()).toMatchObject([{ overrides: { direct_models: true }, ...marked }])
    await changeOverrides(one, new Map([['direct_models', null]]))
    expect(store.items()).toMatchObject([{ overrides: {}, ...marked }])
  })
})
