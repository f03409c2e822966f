import { expect, it } from 'vitest'
import { attemptList, fragmentError } from '../../../lambdas/core/routing/fragment-error.ts'
import { attemptRecord, failureOf, rateLimit } from '../build.ts'

const cut = failureOf({ kind: 'network', status: 200, message: 'The connection was reset.' })
const trail = [attemptRecord('a/one', rateLimit()), attemptRecord('b/two', null)]

it('attempts are listed as error bodies show them, without keys', () => {
  expect(attemptList(trail.map(record => ({ ...record, key: 'k1', durationMs: 12 })))).toEqual([
    { endpoint: 'a/one', kind: 'rate_limit', status: 429, ms: 12 },
    { endpoint: 'b/two', kind: 'ok', status: 200, ms: 12 },
  ])
})

it('a stream that broke off says who broke it, why, and that the rest is a fragment', () => {
  expect(fragmentError(trail, cut)).toEqual({
    error: {
      message: expect.stringMatching(
        /^The answer of b\/two broke off \(network\): The connection was reset\. .*fragment/,
      ),
      type: 'upstream_error',
      param: null,
      code: 'stream_cut',
      attempts: [
        { endpoint: 'a/one', kind: 'rate_limit', status: 429, ms: 10 },
        { endpoint: 'b/two', kind: 'network', status: 200, ms: 10 },
      ],
    },
  })
})

it('what the upstream said does not run into what we say', () => {
  const { error } = fragmentError(trail, { ...cut, message: 'The connection broke (ECONNRESET)' })
  expect(error).toMatchObject({ message: expect.stringContaining('(ECONNRESET). What came before') })
})

it('a stream that stalled is a timeout', () => {
  const { error } = fragmentError(trail, failureOf({ kind: 'timeout', status: 200 }))
  expect(error).toMatchObject({ code: 'upstream_timeout', type: 'timeout_error' })
})

it('the trail that it is made from stays as it was', () => {
  const before = structuredClone(trail)
  fragmentError(trail, cut)
  expect(trail).toEqual(before)
})
