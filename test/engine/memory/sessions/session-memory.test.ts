import { describe, expect, it } from 'vitest'
import type { ToolRound } from '../../../../lambdas/core/chat-request.ts'
import { FIRST_ROUND } from '../../../core/build.ts'
import { createSessionMemory } from '../../../../lambdas/engine/memory/sessions/session-memory.ts'
import type { SessionRecord } from '../../../../lambdas/store/session-item.ts'
import { createFakeClock } from '../../../support/clocks/fake-clock.ts'
import { createMemoryStore, type MemoryStore } from '../../../support/tables/memory-store.ts'

const KEY = 'session#s'
const DAY_SECONDS = 86_400
const HEADER = 'x-finished'

function instanceOver(store: Pick<MemoryStore, 'readSession' | 'putSession'>, clock = createFakeClock()) {
  const lines: object[] = []
  const memory = createSessionMemory({ store, clock, header: HEADER, log: line => void lines.push(line) })
  return { ...memory, lines }
}

function fleet() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock, { slowMs: 0 })
  return { clock, store, instance: () => instanceOver(store, clock) }
}

const laterRound = (finished: readonly string[], overrides: Partial<ToolRound> = {}): ToolRound => ({
  later: true,
  finished,
  session: 's',
  tracked: true,
  ...overrides,
})

describe('the header', () => {
  it('names what the messages answer, and what the session has on record before it', async () => {
    const { instance } = fleet()
    const first = instance()
    expect(await first.finishedHeader(laterRound(['call_1', 'call_2']))).toEqual({
      [HEADER]: 'call_1,call_2',
    })
    await first.settled()
    // This client has dropped its older messages.
    expect(await instance().finishedHeader(laterRound(['call_3']))).toEqual({
      [HEADER]: 'call_1,call_2,call_3',
    })
  })

  it('is not sent where nobody keeps track', async () => {
    const untracked = laterRound(['call_1'], { session: null, tracked: false })
    expect(await fleet().instance().finishedHeader(untracked)).toEqual({})
  })

  it('is passed on from a client that keeps its own record, which costs no call of the table', async () => {
    const { instance, store } = fleet()
    const own = laterRound(['call_1'], { session: null })
    expect(await instance().finishedHeader(own)).toEqual({ [HEADER]: 'call_1' })
    expect([store.calls('readSession'), store.calls('putSession')]).toEqual([0, 0])
  })

  it('costs no call of the table in a first round', async () => {
    const { instance, store } = fleet()
    const memory = instance()
    const first = { ...FIRST_ROUND, session: 's', tracked: true }
    expect(await memory.finishedHeader(first)).toEqual({})
    await memory.settled()
    expect([store.calls('readSession'), store.calls('putSession')]).toEqual([0, 0])
  })
})

describe('the record', () => {
  it('lives for a day after its last new call', async () => {
    const { instance, store, clock } = fleet()
    const memory = instance()
    await memory.finishedHeader(laterRound(['call_1']))
    await memory.settled()
    const now = Math.ceil(clock.now() / 1_000)
    expect(store.session(KEY)).toEqual({ finished: ['call_1'], version: 1, expiresAt: now + DAY_SECONDS })
  })

  it('is not written again where it holds the calls already, until half of its life is over', async () => {
    const { instance, store, clock } = fleet()
    for (const hours of [0, 6, 7]) {
      clock.pass(hours * 3_600_000)
      const memory = instance()
      await memory.finishedHeader(laterRound(['call_1']))
      await memory.settled()
    }
    expect(store.calls('putSession')).toBe(2)
  })

  it('holds what both know who send the same round, or two rounds, at once', async () => {
    const { instance, store } = fleet()
    const rounds = [['call_1'], ['call_1'], ['call_1', 'call_2'], ['call_3']]
    const memories = rounds.map(finished => ({ memory: instance(), finished }))
    const headers = await Promise.all(
      memories.map(({ memory, finished }) => memory.finishedHeader(laterRound(finished))),
    )
    await Promise.all(memories.map(({ memory }) => memory.settled()))
    expect(headers.map(header => header[HEADER])).toEqual(rounds.map(finished => finished.join(',')))
    expect(store.session(KEY)?.finished.toSorted()).toEqual(['call_1', 'call_2', 'call_3'])
  })

  it('loses none of many rounds at once, although every write but one is lost to another', async () => {
    const { instance, store } = fleet()
    const ids = Array.from({ length: 12 }, (_, index) => `call_${index}`)
    const memories = ids.map(() => instance())
    await Promise.all(memories.map((memory, index) => memory.finishedHeader(laterRound([ids[index] ?? '']))))
    await Promise.all(memories.map(memory => memory.settled()))
    expect(store.session(KEY)?.finished.toSorted()).toEqual(ids.toSorted())
  })

  it('is told of where it could not be written for other writers', async () => {
    const clock = createFakeClock()
    const began = clock.now()
    const memory = instanceOver({ readSession: async () => null, putSession: async () => 'conflict' }, clock)
    await memory.finishedHeader(laterRound(['call_1']))
    await memory.settled()
    expect(memory.lines).toMatchObject([{ event: 'state-error' }])
    expect(clock.now() - began).toBeLessThan(2_000)
  })

  it('of a session is not that of another with the same ids', async () => {
    const { instance, store } = fleet()
    const memory = instance()
    await memory.finishedHeader(laterRound(['call_1', 'call_2']))
    await memory.finishedHeader(laterRound(['call_1'], { session: 'other' }))
    await memory.settled()
    expect(store.session(KEY)?.finished).toEqual(['call_1', 'call_2'])
    expect(store.session('session#other')?.finished).toEqual(['call_1'])
  })
})

describe('a table that cannot be used', () => {
  it.each(['refuse', 'throttle', 'slow', 'garbage'] as const)('is done without (%s)', async mode => {
    const { instance, store } = fleet()
    store.fail(mode)
    const memory = instance()
    expect(await memory.finishedHeader(laterRound(['call_1']))).toEqual({ [HEADER]: 'call_1' })
    await memory.settled()
    const isToldOf = memory.lines.some(line => 'event' in line && line.event === 'state-error')
    expect(isToldOf).toBe(mode !== 'garbage')
  })

  it('is waited for no longer than 300 ms, and still told of the calls when it answers', async () => {
    const clock = createFakeClock()
    const answer = Promise.withResolvers<SessionRecord | null>()
    const written: SessionRecord[] = []
    const memory = instanceOver(
      {
        readSession: () => answer.promise,
        putSession: async (_, record) => {
          written.push(record)
          return 'written'
        },
      },
      clock,
    )
    const began = clock.now()
    expect(await memory.finishedHeader(laterRound(['call_2']))).toEqual({ [HEADER]: 'call_2' })
    expect(clock.now() - began).toBe(300)
    answer.resolve({ finished: ['call_1'], version: 4, expiresAt: Math.ceil(began / 1_000) + DAY_SECONDS })
    await memory.settled()
    expect(written).toMatchObject([{ finished: ['call_1', 'call_2'], version: 5 }])
  })
})
