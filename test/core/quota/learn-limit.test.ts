import { describe, expect, it } from 'vitest'
import { afterRefusal, grownLimit } from '../../../lambdas/core/quota/learn-limit.ts'
import { countsOf } from '../../../lambdas/core/quota/quota-counters.ts'
import { attributesOf, toldOf, type ToldLimit } from '../../../lambdas/core/quota/told-limit.ts'

const NAME = 'requestsPerMinute'
const MINUTE = 60_000
const NOW = 1_790_000_000_000

/** What a refusal shows when so many others were admitted within the last minute. */
function refused(known: ToldLimit | null, admitted: number, at: number): ToldLimit | null {
  const counters = { ...countsOf(NAME, at, admitted + 1), ...(known ? attributesOf(NAME, known) : {}) }
  return afterRefusal(counters, NAME, at)
}
const begun = (): ToldLimit => refused(null, 3, NOW) ?? expect.fail('nothing is counted')
const learntAt = (admitted: number, at = NOW + MINUTE): ToldLimit =>
  refused(begun(), admitted, at) ?? expect.fail('nothing was learnt')

describe('a limit that refusals show', () => {
  it('needs a minute of counting first', () => {
    expect(begun()).toMatchObject({ kind: 'counting' })
    expect(refused(begun(), 20, NOW + MINUTE - 1)).toBeNull()
    expect(learntAt(20)).toMatchObject({ kind: 'learnt', limit: 20, doubts: 0 })
  })

  it('is tried for more, a larger step each time that nobody refuses', () => {
    const learnt = learntAt(20)
    const limits = [0, 2, 3, 6, 9].map(minutes => grownLimit(learnt, NAME, learnt.at + minutes * MINUTE))
    expect(limits).toEqual([20, 20, 21, 23, 26])
  })

  it('goes back to what was admitted', () => {
    const learnt = learntAt(20)
    expect(refused(learnt, 21, learnt.at + 4 * MINUTE)).toMatchObject({
      kind: 'learnt',
      limit: 21,
      doubts: 0,
    })
  })

  it('is given up when refusals come again and again while some of it is left', () => {
    let known = learntAt(40)
    for (const admitted of [30, 20]) known = refused(known, admitted, known.at + MINUTE) ?? known
    expect(known).toMatchObject({ kind: 'learnt', limit: 20, doubts: 2 })
    const unfit = refused(known, 5, known.at + MINUTE)
    expect(unfit).toMatchObject({ kind: 'unfit' })
    expect(refused(unfit, 5, NOW + 60 * MINUTE)).toBeNull()
    expect(refused(unfit, 5, NOW + 7 * 60 * MINUTE)).toMatchObject({ kind: 'counting' })
  })

  it('is on record as it was written', () => {
    const learnt = learntAt(20)
    expect(toldOf(attributesOf(NAME, learnt), NAME)).toEqual(learnt)
    expect(toldOf({}, NAME)).toBeNull()
  })
})
