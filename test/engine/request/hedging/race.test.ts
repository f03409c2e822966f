import { describe, expect, it } from 'vitest'
import type { AttemptResult } from '../../../../lambdas/engine/request/attempt.ts'
import type { CandidateAttempt } from '../../../../lambdas/engine/request/call-candidate.ts'
import { race, type Entrant } from '../../../../lambdas/engine/request/hedging/race.ts'
import { attemptRecord, endpointNamed, failureOf } from '../../../core/build.ts'
import { createFakeClock } from '../../../support/clocks/fake-clock.ts'

type End = 'output' | 'failure'

const attemptOf = (name: string, result: AttemptResult): CandidateAttempt => ({
  result,
  attempted: attemptRecord(name, null),
  noted: { endpoint: endpointNamed(name), key: null, requestId: 'r', startedAt: 0 },
})

const failedWith = (code: string | null): AttemptResult => ({
  kind: 'failed',
  failure: failureOf({ code }),
  headers: {},
  outputStarted: false,
  received: { usage: null, outputTokens: 0 },
})

/** A call that ends when the test says how, or when its signal does. */
function callNamed(name: string) {
  const { promise, resolve } = Promise.withResolvers<End>()
  let calls = 0
  let withdrawn = 0
  const entrant: Entrant = {
    async call(signal, onOutput) {
      calls += 1
      const aborted = new Promise<'aborted'>(done => {
        if (signal.aborted) done('aborted')
        signal.addEventListener('abort', () => done('aborted'))
      })
      const end = await Promise.race([promise, aborted])
      if (end === 'output') onOutput()
      // A held answer that breaks off after its first output: the race is over all the same.
      return attemptOf(name, failedWith(end === 'aborted' ? 'ABORT_ERR' : null))
    },
    withdraw: () => void (withdrawn += 1),
  }
  return { entrant, end: resolve, calls: () => calls, withdrawn: () => withdrawn }
}

function start() {
  const client = new AbortController()
  const [first, second] = [callNamed('a/m'), callNamed('b/m')]
  const late = Promise.withResolvers<void>()
  const offered = Promise.withResolvers<Entrant | null>()
  const alarm = (_: number, ring: () => void): (() => void) => {
    void late.promise.then(ring)
    return () => undefined
  }
  const clock = { ...createFakeClock(), after: alarm }
  const raced = race({
    first: first.entrant,
    second: () => offered.promise,
    delayMs: 500,
    clock,
    client: client.signal,
  })
  return { client, first, second, raced, late: () => late.resolve(), offer: offered.resolve }
}

describe('a race', () => {
  it('is none where the first call ends in time', async () => {
    const { first, second, raced } = start()
    first.end('failure')
    expect(await raced).toMatchObject({ second: null, loser: null })
    expect(second.calls()).toBe(0)
  })

  it.each(['first', 'second'] as const)('is won by the %s where its output comes first', async side => {
    const { first, second, raced, late, offer } = start()
    late()
    offer(second.entrant)
    await expect.poll(() => second.calls()).toBe(1)
    ;(side === 'first' ? first : second).end('output')
    expect(await raced).toMatchObject({ loser: side === 'first' ? 'second' : 'first' })
  })

  it('is lost by nobody where a call fails before the other one has output', async () => {
    const { first, second, raced, late, offer } = start()
    late()
    offer(second.entrant)
    await expect.poll(() => second.calls()).toBe(1)
    first.end('failure')
    await new Promise(setImmediate)
    second.end('output')
    const { loser, first: one } = await raced
    expect(loser).toBeNull()
    expect(one.result).toMatchObject({ failure: { code: null } })
  })

  it('takes back what was offered when the first output has come meanwhile', async () => {
    const { first, second, raced, late, offer } = start()
    late()
    await new Promise(setImmediate)
    first.end('output')
    await new Promise(setImmediate)
    offer(second.entrant)
    await new Promise(setImmediate)
    expect(await raced).toMatchObject({ second: null, loser: null })
    expect([second.calls(), second.withdrawn()]).toEqual([0, 1])
  })

  it('keeps no output waiting for what is still to be offered', async () => {
    const { first, second, raced, late, offer } = start()
    late()
    await new Promise(setImmediate)
    first.end('output')
    expect(await raced).toMatchObject({ second: null, loser: null })
    expect(second.withdrawn()).toBe(0)
    offer(second.entrant)
    await expect.poll(() => second.withdrawn()).toBe(1)
    expect(second.calls()).toBe(0)
  })

  it('goes on alone where nothing may be called beside it', async () => {
    const { first, raced, late, offer } = start()
    late()
    offer(null)
    await new Promise(setImmediate)
    first.end('output')
    expect(await raced).toMatchObject({ second: null, loser: null })
  })

  it('ends with its client, and nobody has lost it', async () => {
    const { client, second, raced, late, offer } = start()
    late()
    offer(second.entrant)
    await expect.poll(() => second.calls()).toBe(1)
    client.abort()
    const { first: one, second: other, loser } = await raced
    expect(loser).toBeNull()
    for (const result of [one.result, other?.result])
      expect(result).toMatchObject({ failure: { code: 'ABORT_ERR' } })
  })
})
