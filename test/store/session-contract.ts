import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../lambdas/store/session-item.ts'
import { NOW, NOW_SECONDS } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const KEY = 'session#0123456789abcdef'
const MANY_WRITERS = Array.from({ length: 12 }, (_, writer) => writer)

const recordOf = (finished: readonly string[], overrides: Partial<SessionRecord> = {}): SessionRecord => ({
  finished,
  version: 1,
  expiresAt: NOW_SECONDS + 86_400,
  ...overrides,
})

/** What sessions have on record: conditions, conflicts, expiry. */
export function describeSessions(current: () => OpenTable): void {
  describe('a session', () => {
    it('has nothing on record at first', async () => {
      expect(await current().store.readSession(KEY)).toBeNull()
    })

    it('is read as it was written, in order, and is no part of the state', async () => {
      const { store } = current()
      const record = recordOf(['call_2', 'call_1', 'é, "x"'])
      expect(await store.putSession(KEY, record, null)).toBe('written')
      expect(await store.readSession(KEY)).toEqual(record)
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
    })

    it('of one client is not that of another, although their calls have the same ids', async () => {
      const { store } = current()
      await store.putSession(KEY, recordOf(['call_1']), null)
      expect(await store.readSession('session#other')).toBeNull()
      expect(await store.putSession('session#other', recordOf(['call_1']), null)).toBe('written')
    })

    it('is replaced only on condition of the version that was read', async () => {
      const { store } = current()
      await store.putSession(KEY, recordOf(['call_1']), null)
      const next = recordOf(['call_1', 'call_2'], { version: 2 })
      expect(await store.putSession(KEY, next, null)).toBe('conflict')
      expect(await store.putSession(KEY, next, 7)).toBe('conflict')
      expect(await store.putSession(KEY, next, 1)).toBe('written')
      expect(await store.readSession(KEY)).toEqual(next)
    })

    it('is forgotten from the second on in which it expires, and can begin anew', async () => {
      const { store, clock } = current()
      await store.putSession(KEY, recordOf(['old'], { expiresAt: NOW_SECONDS + 60 }), null)
      clock.now = NOW + 59_999
      expect(await store.readSession(KEY)).not.toBeNull()
      expect(await store.putSession(KEY, recordOf(['new']), null)).toBe('conflict')
      clock.now = NOW + 60_000
      expect(await store.readSession(KEY)).toBeNull()
      expect(await store.putSession(KEY, recordOf(['new']), null)).toBe('written')
      expect((await store.readSession(KEY))?.finished).toEqual(['new'])
    })

    it('that makes no sense counts as none, and is replaced', async () => {
      const { store, plant } = current()
      await plant({ pk: KEY, sk: 'tools', finished: 'call_1', expiresAt: NOW_SECONDS + 60 })
      expect(await store.readSession(KEY)).toBeNull()
      expect(await store.putSession(KEY, recordOf(['call_2']), null)).toBe('written')
    })

    it('is written by exactly one of many who have read the same', async () => {
      const { store } = current()
      const results = await Promise.all(
        MANY_WRITERS.map(writer => store.putSession(KEY, recordOf([`call_${writer}`]), null)),
      )
      expect(results.filter(result => result === 'written')).toHaveLength(1)
      const winner = results.indexOf('written')
      expect((await store.readSession(KEY))?.finished).toEqual([`call_${winner}`])
    })
  })
}
