import { describe, expect, it } from 'vitest'
import type { ResponseRecord } from '../../lambdas/store/response-item.ts'
import { NOW, NOW_SECONDS } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const KEY = 'response#0123456789abcdef'

const recordOf = (endpoint: string, overrides: Partial<ResponseRecord> = {}): ResponseRecord => ({
  endpoint,
  key: 'f00dbabe',
  expiresAt: NOW_SECONDS + 86_400,
  ...overrides,
})

/** Where the state behind an answer is: the last writer wins, and nothing outlives its time. */
export function describeResponses(current: () => OpenTable): void {
  describe('an answer that a request may refer to', () => {
    it('is held by nobody at first', async () => {
      expect(await current().store.readResponse(KEY)).toBeNull()
    })

    it('is read as it was written, with a key or without one, and is no part of the state', async () => {
      const { store } = current()
      const [keyed, keyless] = [recordOf('openai/gpt-5'), recordOf('local@é/m:1', { key: null })]
      await store.putResponse(KEY, keyed)
      await store.putResponse('response#other', keyless)
      expect(await store.readResponse(KEY)).toEqual(keyed)
      expect(await store.readResponse('response#other')).toEqual(keyless)
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
    })

    it('is no session of the same hash', async () => {
      const { store } = current()
      await store.putResponse(KEY, recordOf('openai/gpt-5'))
      expect(await store.readSession('session#0123456789abcdef')).toBeNull()
      const session = { finished: ['call_1'], version: 1, expiresAt: NOW_SECONDS + 60 }
      expect(await store.putSession('session#0123456789abcdef', session, null)).toBe('written')
      expect(await store.readResponse(KEY)).toEqual(recordOf('openai/gpt-5'))
    })

    it('is written anew whatever was there', async () => {
      const { store, plant } = current()
      await plant({ pk: KEY, sk: 'endpoint', endpoint: 7, expiresAt: NOW_SECONDS + 60 })
      expect(await store.readResponse(KEY)).toBeNull()
      await store.putResponse(KEY, recordOf('a/one'))
      await store.putResponse(KEY, recordOf('b/two', { key: null }))
      expect(await store.readResponse(KEY)).toEqual(recordOf('b/two', { key: null }))
    })

    it('is forgotten from the second on in which it expires', async () => {
      const { store, clock } = current()
      await store.putResponse(KEY, recordOf('a/one', { expiresAt: NOW_SECONDS + 60 }))
      clock.now = NOW + 59_999
      expect(await store.readResponse(KEY)).not.toBeNull()
      clock.now = NOW + 60_000
      expect(await store.readResponse(KEY)).toBeNull()
    })

    it('is one of them where many write at once', async () => {
      const { store } = current()
      const records = Array.from({ length: 12 }, (_, writer) => recordOf(`a/${writer}`))
      await Promise.all(records.map(record => store.putResponse(KEY, record)))
      expect(records).toContainEqual(await store.readResponse(KEY))
    })
  })
}
