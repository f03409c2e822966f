import { describe, expect, it } from 'vitest'
import { attemptList, trailWithCut } from '../../../lambdas/core/routing/trail.ts'
import { attemptRecord, failureOf, rateLimit } from '../build.ts'

const cut = failureOf({ kind: 'network', status: 200, message: 'The connection was reset.' })

it('attempts are listed as error bodies show them, without keys', () => {
  const trail = [attemptRecord('a/one', rateLimit()), attemptRecord('b/two', null)]
  expect(attemptList(trail.map(record => ({ ...record, key: 'k1', durationMs: 12 })))).toEqual([
    { endpoint: 'a/one', kind: 'rate_limit', status: 429, ms: 12 },
    { endpoint: 'b/two', kind: 'ok', status: 200, ms: 12 },
  ])
})

describe('the trail of an answer that broke off', () => {
  const served = attemptRecord('a/one', null)

  it('blames the attempt that served it, and no other of the same endpoint', () => {
    const trail = [attemptRecord('a/one', rateLimit()), served]
    expect(trailWithCut(trail, served, cut).map(({ outcome }) => outcome)).toEqual(['rate_limit', 'network'])
  })

  it('blames it wherever it stands', () => {
    const trail = [served, attemptRecord('b/two', rateLimit())]
    expect(trailWithCut(trail, served, cut).map(({ outcome }) => outcome)).toEqual(['network', 'rate_limit'])
  })

  it('leaves what it was made from as it was', () => {
    const trail = [served]
    trailWithCut(trail, served, cut)
    expect(trail).toEqual([attemptRecord('a/one', null)])
  })
})
