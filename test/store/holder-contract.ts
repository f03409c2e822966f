import { describe, expect, it } from 'vitest'
import type { HolderRecord } from '../../lambdas/store/holder-item.ts'
import { NOW, NOW_SECONDS } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const KEY = 'response#0123456789abcdef'

const recordOf = (endpoint: string, overrides: Partial<HolderRecord> = {}): HolderRecord => ({
  endpoint,
  key: 'f00dbabe',
  expiresAt: NOW_SECONDS + 86_400,
  ...overrides,
})

/** Where the state behind an answer is: the last writer wins, and nothing outlives its time. */
export function describeHolders(current: () => OpenTable): void {
  describe('an answer that a request may refer to', () => {
    it('is held by nobody at first', async () => {
      expect(await current().store.readHolder(KEY)).toBeNull()
    })

    it('is read as it was written, with a key or without one, and is no part of the state', async () => {
      const { store } = current()
      const [keyed, keyless] = [recordOf('openai/gpt-5'), recordOf('local@é/m:1', { key: null })]
      await store.putHolder(KEY, keyed)
      await store.putHolder('response#other', keyless)
      expect(await store.readHolder(KEY)).toEqual(keyed)
      expect(await store.readHolder('response#other')).toEqual(keyless)
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
    })

    it('is no session of the same hash', async () => {
      const { store } = current()
      await store.putHolder(KEY, recordOf('openai/gpt-5'))
      expect(await store.readSession('session#0123456789abcdef')).toBeNull()
      const session = { finished: ['call_1'], version: 1, expiresAt: NOW_SECONDS + 60 }
      expect(await store.putSession('session#0123456789abcdef', session, null)).toBe('written')
      expect(await store.readHolder(KEY)).toEqual(recordOf('openai/gpt-5'))
    })

    it('is apart from where a conversation of the same hash is served, and from its tool calls', async () => {
      const { store } = current()
      const session = 'session#0123456789abcdef'
      await store.putHolder(KEY, recordOf('openai/gpt-5'))
      expect(await store.readHolder(session)).toBeNull()
      const calls = { finished: ['call_1'], version: 1, expiresAt: NOW_SECONDS + 60 }
      expect(await store.putSession(session, calls, null)).toBe('written')
      await store.putHolder(session, recordOf('groq/m'))
      expect(await store.readHolder(session)).toEqual(recordOf('groq/m'))
      expect(await store.readHolder(KEY)).toEqual(recordOf('openai/gpt-5'))
      expect(await store.readSession(session)).toEqual(calls)
    })

    it('is written anew whatever was there', async () => {
      const { store, plant } = current()
      await plant({ pk: KEY, sk: 'endpoint', endpoint: 7, expiresAt: NOW_SECONDS + 60 })
      expect(await store.readHolder(KEY)).toBeNull()
      await store.putHolder(KEY, recordOf('a/one'))
      await store.putHolder(KEY, recordOf('b/two', { key: null }))
      expect(await store.readHolder(KEY)).toEqual(recordOf('b/two', { key: null }))
    })

    it('is forgotten from the second on in which it expires', async () => {
      const { store, clock } = current()
      await store.putHolder(KEY, recordOf('a/one', { expiresAt: NOW_SECONDS + 60 }))
      clock.now = NOW + 59_999
      expect(await store.readHolder(KEY)).not.toBeNull()
      clock.now = NOW + 60_000
      expect(await store.readHolder(KEY)).toBeNull()
    })

    it('is one of them where many write at once', async () => {
      const { store } = current()
      const records = Array.from({ length: 12 }, (_, writer) => recordOf(`a/${writer}`))
      await Promise.all(records.map(record => store.putHolder(KEY, record)))
      expect(records).toContainEqual(await store.readHolder(KEY))
    })
  })
}
